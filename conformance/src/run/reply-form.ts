import {
  ErrorMessageSchema,
  MemoryAgentsResponseSchema,
  MemoryForgetResponseSchema,
  MemoryListResponseSchema,
  MemoryRetrieveResponseSchema,
  MemoryStatusResponseSchema,
  MemoryStoreResponseSchema,
  type Message,
  PongSchema,
} from "@membus/protocol";
import type { z } from "zod";
import type { Discrepancy } from "../expect.js";
import { shown } from "../report/shown.js";

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  pong: PongSchema,
  error: ErrorMessageSchema,
  "memory/store/resp": MemoryStoreResponseSchema,
  "memory/retrieve/resp": MemoryRetrieveResponseSchema,
  "memory/forget/resp": MemoryForgetResponseSchema,
  "memory/status/resp": MemoryStatusResponseSchema,
  "memory/list/resp": MemoryListResponseSchema,
  "memory/agents/resp": MemoryAgentsResponseSchema,
};

/**
 * Returns the first schema violation of a message. Undefined if there is none, or if the type is not a reply
 * type.
 */
export function formFaultOf(message: Message): Discrepancy | undefined {
  const { type } = message;
  const schema = typeof type === "string" && Object.hasOwn(SCHEMAS, type) ? SCHEMAS[type]! : undefined;
  const parsed = schema?.safeParse(message);
  if (parsed === undefined || parsed.success) return undefined;
  return formDiscrepancy(`a message of type ${type}`, "the form of its schema", parsed.error, message);
}

/**
 * Returns a discrepancy for the first malformed field. The cause is the same for that field in every reply.
 */
export function formDiscrepancy(
  what: string,
  expected: string,
  { issues }: z.ZodError,
  got: unknown,
): Discrepancy {
  const { path, message } = issues[0]!;
  const place = path.map((step) => (typeof step === "number" ? "[]" : String(step))).join(".");
  return {
    what: `${what}, field ${path.join(".") || "(itself)"}`,
    expected: `${expected} (${message})`,
    got: shown(got),
    cause: `field ${place || "(itself)"}: ${message}`,
  };
}
