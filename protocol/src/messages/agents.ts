import { z } from "zod";
import { boundedString } from "../bounded-values.js";
import { LIMITS } from "../limits.js";
import { MemoryTierSchema } from "../scope.js";
import { replyShape, requestShape } from "./envelope.js";
import { DegradedTierSchema } from "./retrieve.js";

/** `memory/agents/req`: lists the agents of a tenant, for operators (clause AGENT-1). */
export const MemoryAgentsRequestSchema = z
  .strictObject({
    type: z.literal("memory/agents/req"),
    ...requestShape,
    limit: z.int().min(1).max(LIMITS.listLimit).nullish().meta({ description: "default 100" }),
    cursor: boundedString(LIMITS.cursorLength).nullish(),
  })
  .meta({ id: "MemoryAgentsRequest" });
export type MemoryAgentsRequest = z.input<typeof MemoryAgentsRequestSchema>;

/** Agent with entries in its private tiers (clause AGENT-2). */
export const ListedAgentSchema = z
  .looseObject({
    name: z.string(),
    tiers: z.array(MemoryTierSchema).min(1).meta({ description: "private tiers with entries of the agent" }),
  })
  .meta({ id: "ListedAgent" });
export type ListedAgent = z.infer<typeof ListedAgentSchema>;

/** `memory/agents/resp`: one page, by ascending name (clause AGENT-4). */
export const MemoryAgentsResponseSchema = z
  .looseObject({
    type: z.literal("memory/agents/resp"),
    ...replyShape,
    agents: z.array(ListedAgentSchema),
    cursor: z.string().optional().meta({ description: "present if more agents follow" }),
    degraded: z.array(DegradedTierSchema).optional(),
  })
  .meta({ id: "MemoryAgentsResponse" });
export type MemoryAgentsResponse = z.infer<typeof MemoryAgentsResponseSchema>;
