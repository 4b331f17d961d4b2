import { type Criteria, canonicalJson, compileCriteria, type Json, keyHash, matches } from "@membus/protocol";
import { type Condition, modelKey, type StoredFields } from "./operation.js";

/** What callers choose of an entry. */
interface ChosenFields {
  readonly key: ReturnType<typeof modelKey>;
  readonly content: Json;
  readonly tags: readonly string[];
  readonly group: string | undefined;
  readonly importance: number;
  readonly metadata: Readonly<Record<string, string | number>> | undefined;
}

/** An entry as the model knows it: what callers chose, and the revisions that they were told. */
export interface ModelEntry extends ChosenFields {
  readonly revision: number;
  readonly seq: number;
}

export type ModelOutcome = "created" | "updated" | "unchanged" | "conflict";

/** What a partition must hold, in a plain map: the protocol without anything that makes it fast. */
export class MemoryModel {
  readonly #entries = new Map<number, ModelEntry>();

  /** The `if_revision` that a condition stands for now. */
  expectedRevision(key: number, condition: Condition): number | undefined {
    const current = this.revisionOf(key);
    if (condition === "absent") return 0;
    if (condition === "current") return current;
    return condition === "outdated" ? Math.max(1, current - 1) : undefined;
  }

  /** What a store must come to. */
  outcomeOf(key: number, fields: StoredFields, ifRevision: number | undefined): ModelOutcome {
    const previous = this.#entries.get(key);
    if (ifRevision !== undefined && ifRevision !== this.revisionOf(key)) return "conflict";
    if (previous === undefined) return "created";
    return sameFields(merged(key, fields, previous), previous) ? "unchanged" : "updated";
  }

  /** 0 for a key that does not exist. */
  revisionOf(key: number): number {
    return this.#entries.get(key)?.revision ?? 0;
  }

  /** Takes over a store that was acknowledged with `revision`. */
  store(key: number, fields: StoredFields, revision: number): void {
    const previous = this.#entries.get(key);
    this.#entries.set(key, { ...merged(key, fields, previous), revision, seq: previous?.seq ?? revision });
  }

  /** The entries that criteria select, the first one stored first. */
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

/** An absent extension field stays, null clears it (clause UPD-2). */
function kept<T>(given: T | null | undefined, former: T | undefined): T | undefined {
  if (given === undefined) return former;
  return given === null ? undefined : given;
}

function sameFields(a: ChosenFields, b: ChosenFields): boolean {
  const text = ({ content, tags, group, importance, metadata }: ChosenFields) =>
    canonicalJson([content, [...tags], group ?? null, importance, metadata ?? null]);
  return text(a) === text(b);
}

/** Criteria of the model name no times, authors and sources: these may be anything. */
function filterableEntry({ seq, ...fields }: ModelEntry) {
  const anything = { source: "", author: "", occurred_at: seq, timestamps: { created: seq, updated: seq } };
  return { ...fields, ...anything, key: { ...fields.key }, key_hash: keyHash({ ...fields.key }) };
}
