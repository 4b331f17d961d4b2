import { type Criteria, canonicalJson, compileCriteria, type Json, keyHash, matches } from "@membus/protocol";
import { type Condition, modelKey, type StoredFields } from "./operation.js";

/** Fields of an entry that callers choose. */
interface ChosenFields {
  readonly key: ReturnType<typeof modelKey>;
  readonly content: Json;
  readonly tags: readonly string[];
  readonly group: string | undefined;
  readonly importance: number;
  readonly metadata: Readonly<Record<string, string | number>> | undefined;
}

/** An entry in the model: the caller's fields and the acknowledged revision. */
export interface ModelEntry extends ChosenFields {
  readonly revision: number;
  readonly seq: number;
}

export type ModelOutcome = "created" | "updated" | "unchanged" | "conflict";

/** Expected state of a partition in a plain map: the protocol without any optimisation. */
export class MemoryModel {
  readonly #entries = new Map<number, ModelEntry>();

  /** Returns the `if_revision` that a condition means in the current state. */
  expectedRevision(key: number, condition: Condition): number | undefined {
    const current = this.revisionOf(key);
    if (condition === "absent") return 0;
    if (condition === "current") return current;
    return condition === "outdated" ? Math.max(1, current - 1) : undefined;
  }

  /** Returns the expected outcome of a store. */
  outcomeOf(key: number, fields: StoredFields, ifRevision: number | undefined): ModelOutcome {
    const previous = this.#entries.get(key);
    if (ifRevision !== undefined && ifRevision !== this.revisionOf(key)) return "conflict";
    if (previous === undefined) return "created";
    return sameFields(merged(key, fields, previous), previous) ? "unchanged" : "updated";
  }

  /** Returns the revision of a key, 0 if it does not exist. */
  revisionOf(key: number): number {
    return this.#entries.get(key)?.revision ?? 0;
  }

  /** Applies a store that was acknowledged with `revision`. */
  store(key: number, fields: StoredFields, revision: number): void {
    const previous = this.#entries.get(key);
    this.#entries.set(key, { ...merged(key, fields, previous), revision, seq: previous?.seq ?? revision });
  }

  /** Returns the entries that match the criteria, in the order of their first store. */
  select(criteria: Criteria): ModelEntry[] {
    const filter = compileCriteria(criteria);
    const selected = [...this.#entries.values()].filter((entry) => matches(filterableEntry(entry), filter));
    return selected.sort((a, b) => a.seq - b.seq);
  }

  forget(criteria: Criteria): void {
    for (const { key } of this.select(criteria)) this.#entries.delete(key.number);
  }
}

function merged(number: number, fields: StoredFields, previous: ModelEntry | undefined): ChosenFields {
  const { content, tags = [], group, importance, metadata } = fields;
  return {
    key: modelKey(number),
    content: content as Json,
    tags,
    group: kept(group, previous?.group),
    importance: kept(importance, previous?.importance) ?? 1,
    metadata: kept(metadata, previous?.metadata),
  };
}

/** Keeps the former value if the extension field is absent, and clears it for null (clause UPD-2). */
function kept<T>(given: T | null | undefined, former: T | undefined): T | undefined {
  if (given === undefined) return former;
  return given === null ? undefined : given;
}

function sameFields(a: ChosenFields, b: ChosenFields): boolean {
  const text = ({ content, tags, group, importance, metadata }: ChosenFields) =>
    canonicalJson([content, [...tags], group ?? null, importance, metadata ?? null]);
  return text(a) === text(b);
}

/** Adds arbitrary times, author and sources, because the model's criteria do not use them. */
function filterableEntry({ seq, ...fields }: ModelEntry) {
  const anything = { source: "", author: "", occurred_at: seq, timestamps: { created: seq, updated: seq } };
  return { ...fields, ...anything, key: { ...fields.key }, key_hash: keyHash({ ...fields.key }) };
}
