import type { AgentMemory, ForgetRequest, KeyReference } from "@membus/agent-client";
import type { MemoryTier } from "@membus/protocol";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { parseReference } from "../memory-uri.js";
import { errorResult, structuredResult, type ToolResult, withErrors } from "../results.js";
import type { ServerParts } from "../server-parts.js";
import { TierSchema } from "./reading-tools.js";

/** Strict, because a misspelt field must not delete more than intended. */
const ForgetSchema = z.strictObject({
  keys: z
    .array(z.string().min(1))
    .min(1)
    .max(1_000)
    .optional()
    .describe("Keys of memories, or their URIs from memory_retrieve."),
  tags: z.array(z.string().min(1)).min(1).max(100).optional().describe("Memories with any of these tags."),
  tier: TierSchema.optional().describe("Only this tier. Default: all tiers."),
  all: z
    .boolean()
    .default(false)
    .describe("Required without keys and tags: deletes everything in this namespace."),
  dry_run: z.boolean().default(false).describe("Count the memories without deleting them."),
  confirm: z.boolean().default(false).describe("True after the user has agreed, if a result asked for it."),
});
const ForgottenSchema = z.object({ forgotten: z.int(), dry_run: z.boolean(), note: z.string().optional() });
const AgreementSchema = z.object({ forget: z.boolean().describe("Delete them permanently") });

type Criteria = Pick<ForgetRequest, "tags" | "tier" | "all">;

/** Adds `memory_forget`. Deleting without keys requires the consent of the user. */
export function addForgetTool({ server, memory, logger }: ServerParts): void {
  server.registerTool(
    "memory_forget",
    {
      title: "Forget memories",
      description:
        "Delete memories permanently: by key, by tag, or all. Deleting without keys must be confirmed.",
      inputSchema: ForgetSchema,
      outputSchema: ForgottenSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    withErrors(logger, async ({ keys, dry_run, confirm, ...given }, context: ServerContext) => {
      if (keys === undefined && given.tags === undefined && !given.all) {
        return errorResult("Give keys or tags, or `all: true` to delete everything.");
      }
      const criteria = criteriaOf(given);
      const agent = await memory();
      if (keys !== undefined)
        return forgotten(await forgetKeys(agent, keys, { ...criteria, dry_run }), dry_run);
      const { deleted: count } = await agent.forget({ ...criteria, dry_run: true });
      if (dry_run || count === 0) return forgotten(count, dry_run);
      const refusal = requestConsent(server, context, questionOf(count, given, agent), confirm);
      return refusal ?? forgotten((await agent.forget(criteria)).deleted, false);
    }),
  );
}

function criteriaOf({
  tags,
  tier,
  all,
}: {
  tags?: string[] | undefined;
  tier?: MemoryTier | undefined;
  all: boolean;
}): Criteria {
  return { ...(tags && { tags }), ...(tier && { tier }), ...(all && { all }) };
}

function forgotten(count: number, isDry: boolean, note?: string): ToolResult {
  return structuredResult({ forgotten: count, dry_run: isDry, ...(note && { note }) });
}

/** Forgets memories by key. A URI names only an entry of its tier. */
async function forgetKeys(
  agent: AgentMemory,
  keys: readonly string[],
  criteria: ForgetRequest,
): Promise<number> {
  const byTier = new Map<MemoryTier | undefined, KeyReference[]>();
  for (const { tier = criteria.tier ?? undefined, key } of keys.map(parseReference)) {
    byTier.set(tier, [...(byTier.get(tier) ?? []), key]);
  }
  let count = 0;
  for (const [tier, references] of byTier) {
    count += (await agent.forget({ ...criteria, keys: references, ...(tier && { tier }) })).deleted;
  }
  return count;
}

function questionOf(
  count: number,
  { tags, tier }: { tags?: string[] | undefined; tier?: MemoryTier | undefined },
  { namespace }: AgentMemory,
) {
  const which = tags === undefined ? "" : ` with the tag ${tags.join(" or ")}`;
  const where = tier === undefined ? "all tiers, including the shared one," : `the tier ${tier}`;
  return `${count} memories${which} in ${where} of the namespace ${namespace} would be deleted permanently.`;
}

/**
 * Asks the user if the client supports it. Otherwise `confirm` counts as consent. Returns undefined after
 * consent.
 */
function requestConsent(
  server: McpServer,
  context: ServerContext,
  question: string,
  isConfirmed: boolean,
): ToolResult | undefined {
  const reply = inputResponse(context.mcpReq.inputResponses, "agreement");
  if (reply.kind === "elicit") {
    const { success, data } = AgreementSchema.safeParse(reply.content);
    if (reply.action === "accept" && success && data.forget) return undefined;
    return forgotten(0, false, "The user did not agree. Nothing was deleted.");
  }
  if (canAsk(server, context)) {
    const agreement = inputRequired.elicit({ message: question, requestedSchema: AgreementSchema });
    return inputRequired({ inputRequests: { agreement } });
  }
  if (isConfirmed) return undefined;
  return errorResult(`${question} Ask the user. If they agree, call again with \`confirm: true\`.`);
}

/**
 * Returns whether the client can ask its user. In 2026-07-28 each request has the capabilities of its client,
 * before it only the first.
 */
function canAsk(server: McpServer, { mcpReq }: ServerContext): boolean {
  const envelope = (mcpReq.envelope ?? {}) as Readonly<Record<string, ClientCapabilities | undefined>>;
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities();
  const elicitation = capabilities?.elicitation;
  // A client without modes supports forms.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
