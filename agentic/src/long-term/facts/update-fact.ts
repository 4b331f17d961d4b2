import { type EntryInput, toMemoryError } from "@membus/agent-client";
import { keyHash, MemoryError, type OptionsOf, option, optionSet } from "@membus/protocol";
import { canonicalText } from "@membus/protocol/records";
import type { CallContext } from "../call-context.js";
import type { NamespaceView } from "../namespace-view.js";
import type { RecordOutcome } from "../outcome.js";
import { currentFact } from "./current-fact.js";
import { FACT_LENGTH_MAX, type Fact } from "./fact.js";
import { lookUp } from "./look-up.js";
import { type Replacement, replaceBy } from "./replace-by.js";
import { writePlans } from "./write-plans.js";

/** Any value. `updateFact` or the host validates it. */
const changeOf = <T>() => option.value<T>(() => true, "").optional();

export const FactChangesSchema = optionSet({
  /** New text. It becomes a new fact that replaces this one. The history keeps both. */
  text: changeOf<string>(),
  /** null removes it. */
  category: changeOf<string | null>(),
  /** 0..1. null removes it. */
  confidence: changeOf<number | null>(),
  /** Unix seconds at which it stops being true. null: no end. */
  validUntil: changeOf<number | null>(),
  /**
   * A current fact that replaces this one from its start of validity. Cannot be combined with other changes.
   */
  replacedBy: changeOf<Replacement>(),
  /** Required revision. */
  ifRevision: changeOf<number>(),
});

/** Changes of a fact. Absent fields stay. */
export interface FactChanges extends OptionsOf<typeof FactChangesSchema> {}

/**
 * Changes a current fact at the revision that was read.
 * @throws {MemoryError} `memory_not_found`, or `conflict` if it was changed or replaced.
 */
export async function updateFact(
  view: NamespaceView,
  id: string,
  changes: FactChanges,
  context: CallContext,
): Promise<RecordOutcome> {
  const { ifRevision, replacedBy, ...others } = changes;
  const fact = await currentFact(view, id, ifRevision, context);
  if (replacedBy !== undefined) {
    const other = Object.entries(others).find(([, value]) => value !== undefined);
    if (other !== undefined)
      throw new TypeError(`\`replacedBy\` cannot be combined with \`${other[0]}\`. Make two updates`);
    return replaceBy(view, fact, replacedBy, context);
  }
  const text = changes.text === undefined ? fact.text : canonicalText(changes.text);
  if (text === "" || text.length > FACT_LENGTH_MAX) {
    throw new TypeError(`text must have 1..${FACT_LENGTH_MAX} characters`);
  }
  const metadata = changedMetadata(fact, changes);
  if (text === fact.text) return updateInPlace(view, fact, metadata, context);
  return replaceText(view, fact, text, metadata, context);
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
  view: NamespaceView,
  { id, text, entry }: Fact,
  metadata: FactMetadata,
  { meter }: CallContext,
): Promise<RecordOutcome> {
  const changed = { ...entry, metadata: { kind: "fact", ...metadata }, if_revision: entry.revision };
  const { receipts, errors } = await view.store([changed as EntryInput]);
  if (errors[0] !== undefined) throw toMemoryError(errors[0]);
  const isChanged = receipts[0]!.outcome !== "unchanged";
  meter.written(isChanged ? 1 : 0);
  return { outcome: isChanged ? "updated" : "duplicate", text, id };
}

async function replaceText(
  view: NamespaceView,
  fact: Fact,
  text: string,
  metadata: FactMetadata,
  context: CallContext,
): Promise<RecordOutcome> {
  const now = context.clock.now();
  const slot = (await lookUp(view, [text], now)).get(text)!;
  const { about: _about, trust, category, valid_from: _from, ...rest } = metadata;
  const { sources } = fact.entry;
  const candidate = { text, trust, category, validFrom: now, metadata: rest as never, sources };
  const pending = { index: 0, candidate };
  const plan = { pending, outcome: "updated" as const, candidate, slot, target: fact };
  const { outcomes, undecided } = await writePlans(view, [plan], context);
  const outcome = outcomes.get(0);
  if (outcome !== undefined && outcome.outcome !== "refused") return outcome;
  // The new fact was stored, but a concurrent change kept it from replacing the old one.
  const written = undecided[0]?.writtenId;
  if (written !== undefined && slot.current === undefined) await deleteFact(view, written, context);
  throw new MemoryError(
    "conflict",
    outcome?.reason ?? `other writers keep changing fact ${fact.id}. Try again`,
  );
}

async function deleteFact(view: NamespaceView, id: string, { meter }: CallContext): Promise<void> {
  meter.written(await view.forget({ keys: [{ $hash: keyHash({ fact: id }) }] }));
}
