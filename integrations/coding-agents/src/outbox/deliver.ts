import type { AgentMemory } from "@membus/agent-client";
import { type ErrorCode, isMemoryError, type MemoryEntry, MemoryError } from "@membus/protocol";
import type { QueuedWrite, Refusal } from "./queued-write.js";

/**
 * Result of one attempt. `known`: the entry exists, and its statement is not
 * earlier. `refused`: no attempt can succeed. `kept`: a later
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
 * superseded since the first delivery. Only a later statement replaces it: the user returns to it.
 */
export async function deliver(memory: AgentMemory, write: QueuedWrite, timeoutMs: number): Promise<Delivery> {
  const delivery = await storeOver(0, memory, write, timeoutMs);
  if (delivery.outcome !== "known") return delivery;
  try {
    const earlier = await earlierEntry(memory, write, timeoutMs);
    if (earlier === undefined) return delivery;
    const again = await storeOver(earlier.revision, memory, write, timeoutMs);
    if (again.outcome !== "known") return again;
    const reason = new MemoryError("conflict", "another process has changed the entry at the same time");
    return { outcome: "kept", reason, isHostWide: false };
  } catch (error) {
    return failureOf(error);
  }
}

/** Stores the entry of a write if its revision is unchanged. 0: if it does not exist. */
async function storeOver(
  revision: number,
  memory: AgentMemory,
  { id, namespace, entry }: QueuedWrite,
  timeoutMs: number,
): Promise<Delivery> {
  try {
    const target = memory.inNamespace(namespace);
    // A request with another revision has another body, and therefore another id.
    const request = revision === 0 ? id : `${id}.${revision}`;
    const options = { id: request, timeoutMs, retryTimeoutMs: 0, ack: "queued" } as const;
    await target.store({ ...entry, if_revision: revision }, options);
    return { outcome: "created" };
  } catch (error) {
    return failureOf(error);
  }
}

/** Returns the stored entry if its statement is earlier than the one of the write. */
async function earlierEntry(
  memory: AgentMemory,
  { namespace, entry: { key, tier, occurred_at: at } }: QueuedWrite,
  timeoutMs: number,
): Promise<MemoryEntry | undefined> {
  if (at == null) return undefined;
  const request = { keys: [key], ...(tier != null && { tier }), limit: 1 };
  const { entries } = await memory.inNamespace(namespace).retrieve(request, { timeoutMs, retryTimeoutMs: 0 });
  return entries.find((entry) => entry.occurred_at < at);
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
