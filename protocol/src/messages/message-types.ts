import type { z } from "zod";
import { MemoryAgentsRequestSchema, MemoryAgentsResponseSchema } from "./agents.js";
import { PingSchema, PongSchema } from "./envelope.js";
import { ErrorMessageSchema } from "./error-message.js";
import { MemoryEventSchema, ReindexProgressSchema } from "./event.js";
import { MemoryForgetRequestSchema, MemoryForgetResponseSchema } from "./forget.js";
import { MemoryListRequestSchema, MemoryListResponseSchema } from "./list.js";
import { MemoryRetrieveRequestSchema, MemoryRetrieveResponseSchema } from "./retrieve.js";
import { MemoryStatusRequestSchema, MemoryStatusResponseSchema } from "./status.js";
import { MemoryStoreRequestSchema, MemoryStoreResponseSchema } from "./store.js";

/** Schemas of all messages by `type`, in the order of the specification. */
export const MESSAGE_SCHEMAS = {
  "memory/store/req": MemoryStoreRequestSchema,
  "memory/store/resp": MemoryStoreResponseSchema,
  "memory/retrieve/req": MemoryRetrieveRequestSchema,
  "memory/retrieve/resp": MemoryRetrieveResponseSchema,
  "memory/forget/req": MemoryForgetRequestSchema,
  "memory/forget/resp": MemoryForgetResponseSchema,
  "memory/status/req": MemoryStatusRequestSchema,
  "memory/status/resp": MemoryStatusResponseSchema,
  "memory/list/req": MemoryListRequestSchema,
  "memory/list/resp": MemoryListResponseSchema,
  "memory/agents/req": MemoryAgentsRequestSchema,
  "memory/agents/resp": MemoryAgentsResponseSchema,
  "memory/event": MemoryEventSchema,
  "memory/reindex": ReindexProgressSchema,
  ping: PingSchema,
  pong: PongSchema,
  error: ErrorMessageSchema,
} as const satisfies Record<string, z.ZodType>;

export type MessageType = keyof typeof MESSAGE_SCHEMAS;

/** Returns the reply type of a request type. */
export function replyType(type: string): string {
  return type === "ping" ? "pong" : type.replace(/\/req$/, "/resp");
}
