import type { AgentMemory, EntryInput } from "@membus/agent-client";
import type { FactInput } from "@membus/agentic";
import { FACT_LENGTH_MAX, type RecordOutcome, storeFacts } from "@membus/agentic/long-term";
import { type Filter, keyHash, type MemoryKey, type MemoryTier, type StoreError } from "@membus/protocol";
import { subjectFromNamespace } from "@membus/protocol/records";
import { keyText } from "./memory-view.js";

/** Tier of facts. Facts of an agent are shared only after promotion (clause REC-9). */
const FACTS_TIER = "episodic";

/** Returns a filter that excludes superseded facts, for namespaces about a subject. */
export function currentFilter(namespace: string): { readonly where?: Filter } {
  if (subjectFromNamespace(namespace) === undefined) return {};
  return { where: { field: "metadata.superseded_by", op: "exists", value: false } };
}

/** A memory to store: a fact, or an entry as it is. */
export type NewMemory = { readonly fact: FactInput } | { readonly entry: EntryInput };

/** Result of one memory. `index` is its position in the call. */
export interface StoredMemory {
  readonly index: number;
  readonly key: string;
  readonly outcome: string;
  readonly key_hash: string;
}

export interface StoredMemories {
  readonly stored: readonly StoredMemory[];
  readonly errors: readonly Pick<StoreError, "index" | "code" | "message">[];
}

/** Returns whether a text without a key becomes a fact: in a namespace about a subject, if it is short enough. */
export function isFact(text: string, tier: MemoryTier, namespace: string): boolean {
  const isPossible = tier === FACTS_TIER && subjectFromNamespace(namespace) !== undefined;
  return isPossible && text.trim() !== "" && text.length <= FACT_LENGTH_MAX;
}

/** Stores facts, then entries. A known fact is "unchanged". A fact that was superseded becomes a new fact. */
export async function storeMemories(
  agent: AgentMemory,
  memories: readonly NewMemory[],
): Promise<StoredMemories> {
  const stored: StoredMemory[] = [];
  const errors: Pick<StoreError, "index" | "code" | "message">[] = [];
  const facts = memories.flatMap((memory, index) => ("fact" in memory ? { index, fact: memory.fact } : []));
  const subject = subjectFromNamespace(agent.namespace);
  if (facts.length > 0 && subject !== undefined) {
    const outcomes = await storeFacts(
      agent,
      subject,
      facts.map(({ fact }) => fact),
    );
    for (const [n, outcome] of outcomes.entries()) {
      const { index } = facts[n]!;
      if (outcome.id === undefined) errors.push({ index, ...refusalOf(outcome) });
      else stored.push({ index, ...storedFact(outcome.id, outcome) });
    }
  }
  const entries = memories.flatMap((memory, index) =>
    "entry" in memory ? { index, entry: memory.entry } : [],
  );
  if (entries.length > 0) {
    const result = await agent.store(
      entries.map(({ entry }) => entry),
      { partial: true },
    );
    for (const { index: n, outcome, key_hash } of result.receipts) {
      const { index, entry } = entries[n]!;
      stored.push({ index, key: shownKey(entry), outcome, key_hash });
    }
    for (const error of result.errors) errors.push({ ...error, index: entries[error.index]!.index });
  }
  const byIndex = (one: { index: number }, other: { index: number }) => one.index - other.index;
  return { stored: stored.sort(byIndex), errors: errors.sort(byIndex) };
}

function storedFact(id: string, { outcome }: RecordOutcome): Omit<StoredMemory, "index"> {
  const key = { fact: id };
  return { key: keyText(key), outcome: outcome === "new" ? "created" : "unchanged", key_hash: keyHash(key) };
}

/** Splits a reason into its code and message. */
function refusalOf({ reason = "" }: RecordOutcome): Pick<StoreError, "code" | "message"> {
  const [, code = "schema_violation", message = reason] = /^(\w+): (.*)$/s.exec(reason) ?? [];
  return { code: code as StoreError["code"], message };
}

function shownKey({ key }: EntryInput): string {
  return typeof key === "string" ? key : keyText(key as MemoryKey);
}
