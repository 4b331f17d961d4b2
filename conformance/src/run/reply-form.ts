import {
  ErrorMessageSchema,
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
};

/** What a message lacks of the form of its type; undefined where it lacks nothing, or says no type of a reply. */
export function formFaultOf(message: Message): Discrepancy | undefined {
  const { type } = message;
  const schema = typeof type === "string" && Object.hasOwn(SCHEMAS, type) ? SCHEMAS[type]! : undefined;
  const parsed = schema?.safeParse(message);
  if (parsed === undefined || parsed.success) return undefined;
  return formDiscrepancy(`a message of type ${type}`, "the form of its schema", parsed.error, message);
}

/** Names the first field that has not its form. Wherever that field stands, and in whichever reply, the cause is the same. */
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
