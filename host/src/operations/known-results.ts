import { MemoryError } from "@membus/protocol";
import type { Outcome } from "../outcome.js";

/**
 * Returns the results of the tiers that know an earlier request.
 *
 * @throws {MemoryError} the error of a tier, or `memory_not_found` if no tier knows the request and it is not
 * running.
 */
export async function knownResults<Result>(
  kind: "store" | "forget",
  calls: readonly Promise<Outcome<Result | undefined>>[],
  isRunning: boolean,
): Promise<readonly Result[]> {
  const known: Result[] = [];
  for (const outcome of await Promise.all(calls)) {
    if (!outcome.ok) throw outcome.error;
    if (outcome.value !== undefined) known.push(outcome.value);
  }
  if (known.length > 0 || isRunning) return known;
  const message = `no ${kind} of this agent has this request id, or its record has expired`;
  throw new MemoryError("memory_not_found", message);
}
