import type { OperationId, OperationResult, RememberedOperation } from "../journal/index.js";
import type { MutationParts } from "./tier.js";

/** A remembered operation with its reply. */
export interface EarlierAttempt extends RememberedOperation {
  readonly result: OperationResult;
}

/** Returns an earlier attempt of an operation. Undefined if none is remembered, or if its reply is lost. */
export async function recall(
  { operations, journal }: Pick<MutationParts, "operations" | "journal">,
  op: OperationId,
): Promise<EarlierAttempt | undefined> {
  for (let found = operations.findById(op); found !== undefined; ) {
    const result = await journal.resultAt(found.place);
    if (result !== undefined) return { ...found, result };
    // An erasure may have moved the reply while it was read.
    const present = operations.findById(op);
    if (present === found) return undefined;
    found = present;
  }
  return undefined;
}
