import type { AgentMemory, EntryInput } from "@membus/agent-client";
import {
  aboutOf,
  canonicalText,
  type Filter,
  factId,
  isCurrent,
  type MemoryEntry,
  readRecord,
  recordEntry,
  type StoreError,
  type StoreReceipt,
  systemClock,
} from "@membus/protocol";

/** Where facts are an agent's own: others are told them once somebody has vouched for them (clause REC-9). */
export const FACTS_TIER = "episodic";

/** Most times that one text is told anew after something else had taken its place. */
const TIMES_MAX = 20;

/** Leaves out facts that something else has taken the place of. */
export function currentIn(namespace: string): { readonly where?: Filter } {
  if (aboutOf(namespace) === undefined) return {};
  return { where: { field: "metadata.superseded_by", op: "exists", value: false } };
}

/** A text as a fact of chapter 7, which other programs find, too: only if there is none of its key. */
export function factEntry(text: string, about: string): EntryInput {
  const fact = canonicalText(text);
  const key = { fact: factId(fact) };
  const record = recordEntry({
    kind: "fact",
    key,
    content: { text: fact },
    metadata: { about, trust: "agent" },
  });
  return { ...record, tier: FACTS_TIER, if_revision: 0 };
}

/** What became of one entry. */
export interface StoredMemory {
  readonly index: number;
  readonly entry: EntryInput;
  readonly outcome: StoreReceipt["outcome"];
  readonly key_hash: string;
}

export interface StoredMemories {
  readonly stored: StoredMemory[];
  readonly errors: StoreError[];
}

/** Stores entries. A fact that is known is "unchanged"; one that something else took the place of is told anew, beside it. */
export async function storeMemories(
  agent: AgentMemory,
  entries: readonly EntryInput[],
): Promise<StoredMemories> {
  const result: StoredMemories = { stored: [], errors: [] };
  let waiting = entries.map((entry, index) => ({ entry, index }));
  for (let time = 2; waiting.length > 0; time++) {
    const sent = waiting;
    waiting = [];
    const { receipts, errors } = await agent.store(sent.map(({ entry }) => entry));
    for (const { index, ...receipt } of receipts) result.stored.push({ ...receipt, ...sent[index]! });
    for (const error of errors) {
      const { entry, index } = sent[error.index]!;
      const known = error.code === "conflict" ? await currentFact(agent, entry) : undefined;
      if (known !== undefined)
        result.stored.push({ index, entry, outcome: "unchanged", key_hash: known.key_hash });
      else if (error.code === "conflict" && time <= TIMES_MAX)
        waiting.push({ index, entry: toldAgain(entry, time) });
      else result.errors.push({ ...error, index });
    }
  }
  result.stored.sort((one, other) => one.index - other.index);
  return result;
}

async function currentFact(agent: AgentMemory, { key }: EntryInput): Promise<MemoryEntry | undefined> {
  const { entries } = await agent.retrieve({ keys: [key], tier: FACTS_TIER, limit: 1 });
  return entries.find((entry) => {
    const fact = readRecord(entry, "fact");
    return fact !== undefined && isCurrent(fact, systemClock.now());
  });
}

function toldAgain({ key, ...entry }: EntryInput, time: number): EntryInput {
  const [first] = (key as { readonly fact: string }).fact.split(".");
  return { ...entry, key: { fact: `${first}.${time}` } };
}
