import type { AgentMemory } from "@membus/agent-client";
import { type ErrorCode, isMemoryError } from "@membus/protocol";
import type { QueuedWrite, Refusal } from "./queued-write.js";

/**
 * Result of one attempt. `known`: the entry existed before. `refused`: no attempt can succeed. `kept`: a later
 * attempt may succeed, and `isHostWide` says that the next write would fail for the same reason.
 */
export type Delivery =
  | { readonly outcome: "created" | "known" }
  | { readonly outcome: "refused"; readonly refusal: Refusal }
  | { readonly outcome: "kept"; readonly reason: Error; readonly isHostWide: boolean };

/** Errors of the write itself. They do not pass. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  "parse_error",
  "invalid_message",
  "schema_violation",
  "too_large",
  "unsupported",
]);

/**
 * Creates the entry of a write. An entry that exists is left as it is, because it may have been corrected or
 * superseded since the first delivery.
 */
export async function deliver(
  memory: AgentMemory,
  { id, namespace, entry }: QueuedWrite,
  timeoutMs: number,
): Promise<Delivery> {
  try {
    const target = memory.inNamespace(namespace);
    const options = { id, timeoutMs, retryTimeoutMs: 0, ack: "queued" } as const;
    await target.store({ ...entry, if_revision: 0 }, options);
    return { outcome: "created" };
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): Delivery {
  const reason = error instanceof Error ? error : new Error(String(error));
  const code = isMemoryError(error) ? error.code : undefined;
  if (code === "conflict") return { outcome: "known" };
  if (error instanceof TypeError || (code !== undefined && REFUSALS.has(code))) {
    return { outcome: "refused", refusal: { code: code ?? "schema_violation", message: reason.message } };
  }
  const isHostWide = isMemoryError(error) && (error.retryable || error.code === "unauthorized");
  return { outcome: "kept", reason, isHostWide };
}
