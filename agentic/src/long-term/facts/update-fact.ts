import { type EntryInput, storeFailure } from "@membus/agent-client";
import { canonicalText, keyHash, MemoryError } from "@membus/protocol";
import type { CallContext } from "../call-context.js";
import type { RecordOutcome } from "../outcome.js";
import type { NamespaceView } from "../shelf.js";
import { currentFact } from "./current-fact.js";
import { FACT_LENGTH_MAX, type Fact } from "./fact.js";
import { lookUp } from "./look-up.js";
import { type Replacement, replaceBy } from "./replace-by.js";
import { writePlans } from "./write-plans.js";

/** What is to be changed of a fact; absent: it stays. */
export interface FactChanges {
  /** Another text is another fact: it takes the place of this one, which its history keeps. */
  readonly text?: string | undefined;
  /** null takes it away. */
  readonly category?: string | null | undefined;
  /** 0..1; null takes it away. */
  readonly confidence?: number | null | undefined;
  /** Unix seconds from which on it is true no more; null: it is true for good. */
  readonly validUntil?: number | null | undefined;
  /** A current fact, that takes the place of this one from the time on from which it is true. Stands alone here. */
  readonly replacedBy?: Replacement | undefined;
  /** Only over this revision. */
  readonly ifRevision?: number | undefined;
}

/**
 * Changes a fact that is current, at the revision that was read.
 * @throws {MemoryError} `memory_not_found`, or `conflict` where somebody else changes it or has replaced it.
 */
export async function updateFact(
  shelf: NamespaceView,
  id: string,
  changes: FactChanges,
  context: CallContext,
): Promise<RecordOutcome> {
  const { ifRevision, replacedBy, ...others } = changes;
  const fact = await currentFact(shelf, id, ifRevision, context);
  if (replacedBy !== undefined) {
    const other = Object.entries(others).find(([, value]) => value !== undefined);
    if (other !== undefined) throw new TypeError(`replacedBy and ${other[0]} are two changes`);
    return replaceBy(shelf, fact, replacedBy, context);
  }
  const text = changes.text === undefined ? fact.text : canonicalText(changes.text);
  if (text === "" || text.length > FACT_LENGTH_MAX) {
    throw new TypeError(`text must have 1..${FACT_LENGTH_MAX} characters`);
  }
  const metadata = changedMetadata(fact, changes);
  if (text === fact.text) return updateInPlace(shelf, fact, metadata, context);
  return replaceText(shelf, fact, text, metadata, context);
}

type FactMetadata = Fact["metadata"];

function changedMetadata({ metadata }: Fact, changes: FactChanges): FactMetadata {
  const { category, confidence, validUntil } = changes;
  const given = { category, confidence, valid_until: validUntil };
  const changed: Record<string, unknown> = { ...metadata };
  for (const [name, value] of Object.entries(given)) {
    if (value === null) delete changed[name];
    else if (value !== undefined) changed[name] = value;
  }
  return changed as FactMetadata;
}

async function updateInPlace(
  shelf: NamespaceView,
  { id, text, entry }: Fact,
  metadata: FactMetadata,
  { meter }: CallContext,
): Promise<RecordOutcome> {
  const changed = { ...entry, metadata: { kind: "fact", ...metadata }, if_revision: entry.revision };
  const { receipts, errors } = await shelf.store([changed as EntryInput]);
  if (errors[0] !== undefined) throw storeFailure(errors[0]);
  const isChanged = receipts[0]!.outcome !== "unchanged";
  meter.written(isChanged ? 1 : 0);
  return { outcome: isChanged ? "updated" : "duplicate", text, id };
}

async function replaceText(
  shelf: NamespaceView,
  fact: Fact,
  text: string,
  metadata: FactMetadata,
  context: CallContext,
): Promise<RecordOutcome> {
  const now = context.clock.now();
  const slot = (await lookUp(shelf, [text], now)).get(text)!;
  const { about: _about, trust, category, valid_from: _from, ...rest } = metadata;
  const { sources } = fact.entry;
  const candidate = { text, trust, category, validFrom: now, metadata: rest as never, sources };
  const pending = { index: 0, candidate };
  const plan = { pending, outcome: "updated" as const, candidate, slot, target: fact };
  const { outcomes, again } = await writePlans(shelf, [plan], context);
  const outcome = outcomes.get(0);
  if (outcome !== undefined && outcome.outcome !== "refused") return outcome;
  // It stands beside what somebody else has made of the fact, which nobody has asked for.
  const written = again[0]?.writtenId;
  if (written !== undefined && slot.current === undefined) await withdraw(shelf, written, context);
  throw new MemoryError("conflict", outcome?.reason ?? `fact ${fact.id} is being changed by others`);
}

async function withdraw(shelf: NamespaceView, id: string, { meter }: CallContext): Promise<void> {
  meter.written(await shelf.forget({ keys: [{ $hash: keyHash({ fact: id }) }] }));
}
