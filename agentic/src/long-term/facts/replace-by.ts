import { type EntryInput, toMemoryError } from "@membus/agent-client";
import { MemoryError } from "@membus/protocol";
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
  /** Id of the consolidation, for `undoConsolidation`. */
  readonly consolidation?: string | undefined;
}

/**
 * Ends the validity of `fact` where the other fact's begins, so that one of them is true at any time. The
 * other fact is verified first: it is stored unchanged at its revision. A crash before the end leaves both.
 * @throws {MemoryError} `memory_not_found`, or `conflict` if one of the two changed concurrently. Both then
 * stay.
 */
export async function replaceBy(
  view: NamespaceView,
  fact: Fact,
  { id, ifRevision, consolidation }: Replacement,
  context: CallContext,
): Promise<RecordOutcome> {
  if (id === fact.id) throw new TypeError(`fact ${id} cannot replace itself`);
  const by = await currentFact(view, id, ifRevision, context);
  const until = Math.max(by.metadata.valid_from ?? by.entry.occurred_at, fact.metadata.valid_from ?? 0);
  const unchanged = { ...by.entry, if_revision: by.entry.revision } as EntryInput;
  await storeOne(view, unchanged);
  const revision = await storeOne(view, supersededEntry(fact, until, by.entry.key_hash, consolidation));
  if (!(await view.byKey([{ fact: id }])).has(by.entry.key_hash)) {
    await storeOne(view, { ...fact.entry, if_revision: revision } as EntryInput);
    throw new MemoryError("conflict", `fact ${id} was forgotten concurrently`);
  }
  context.meter.written(1);
  return { outcome: "superseded", text: by.text, id, replaced: fact.id };
}

/** @returns the new revision. @throws {MemoryError} if the host rejects the entry. */
async function storeOne(view: NamespaceView, entry: EntryInput): Promise<number> {
  const { receipts, errors } = await view.store([entry]);
  if (errors[0] !== undefined) throw toMemoryError(errors[0]);
  return receipts[0]!.revision;
}
