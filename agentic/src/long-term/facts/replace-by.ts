import { type EntryInput, toMemoryError } from "@membus/agent-client";
import type { CallContext } from "../call-context.js";
import type { NamespaceView } from "../namespace-view.js";
import type { RecordOutcome } from "../outcome.js";
import { currentFact } from "./current-fact.js";
import { type Fact, supersededEntry } from "./fact.js";

/** An existing fact that replaces another one. */
export interface Replacement {
  readonly id: string;
  /** Required revision of the fact. */
  readonly ifRevision?: number | undefined;
}

/**
 * Ends the validity of `fact` where the other fact's begins, so that one of them is true at any time. The
 * other fact is stored unchanged in the same request, to check its revision.
 * @throws {MemoryError} `memory_not_found`, or `conflict` if one of the two changed concurrently. Both then
 * stay.
 */
export async function replaceBy(
  view: NamespaceView,
  fact: Fact,
  { id, ifRevision }: Replacement,
  context: CallContext,
): Promise<RecordOutcome> {
  if (id === fact.id) throw new TypeError(`fact ${id} cannot replace itself`);
  const by = await currentFact(view, id, ifRevision, context);
  const until = Math.max(by.metadata.valid_from ?? by.entry.occurred_at, fact.metadata.valid_from ?? 0);
  const unchanged = { ...by.entry, if_revision: by.entry.revision } as EntryInput;
  const { receipts, errors } = await view.store([unchanged, supersededEntry(fact, until, by.entry.key_hash)]);
  const ended = receipts.find(({ index }) => index === 1);
  if (errors[0] !== undefined) {
    if (ended !== undefined) await restore(view, fact, ended.revision);
    throw toMemoryError(errors[0]);
  }
  context.meter.written(1);
  return { outcome: "superseded", text: by.text, id, replaced: fact.id };
}

/** Undoes the replacement. */
async function restore(view: NamespaceView, { entry }: Fact, revision: number): Promise<void> {
  await view.store([{ ...entry, if_revision: revision } as EntryInput]);
}
