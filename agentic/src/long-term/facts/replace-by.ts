import { type EntryInput, storeFailure } from "@membus/agent-client";
import type { CallContext } from "../call-context.js";
import type { RecordOutcome } from "../outcome.js";
import type { NamespaceView } from "../shelf.js";
import { currentFact } from "./current-fact.js";
import { type Fact, supersededEntry } from "./fact.js";

/** A fact that is there and takes the place of another. */
export interface Replacement {
  readonly id: string;
  /** Only at this revision. */
  readonly ifRevision?: number | undefined;
}

/**
 * Ends `fact` where the other begins, so that at each time one of the two is true. The other is written as it is, in the
 * same store, which tells whether it is still what was read.
 * @throws {MemoryError} `memory_not_found`, or `conflict` where somebody else changes one of the two: then both stay.
 */
export async function replaceBy(
  shelf: NamespaceView,
  fact: Fact,
  { id, ifRevision }: Replacement,
  context: CallContext,
): Promise<RecordOutcome> {
  if (id === fact.id) throw new TypeError(`fact ${id} cannot take its own place`);
  const by = await currentFact(shelf, id, ifRevision, context);
  const until = Math.max(by.metadata.valid_from ?? by.entry.occurred_at, fact.metadata.valid_from ?? 0);
  const stays = { ...by.entry, if_revision: by.entry.revision } as EntryInput;
  const { receipts, errors } = await shelf.store([stays, supersededEntry(fact, until, by.entry.key_hash)]);
  const ended = receipts.find(({ index }) => index === 1);
  if (errors[0] !== undefined) {
    if (ended !== undefined) await restore(shelf, fact, ended.revision);
    throw storeFailure(errors[0]);
  }
  context.meter.written(1);
  return { outcome: "superseded", text: by.text, id, replaced: fact.id };
}

/** Nothing has taken its place after all. */
async function restore(shelf: NamespaceView, { entry }: Fact, revision: number): Promise<void> {
  await shelf.store([{ ...entry, if_revision: revision } as EntryInput]);
}
