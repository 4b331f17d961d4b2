import type { AgentMemory } from "@membus/agent-client";
import type { MemoryEntry } from "@membus/protocol";
import { readRecord } from "@membus/protocol/records";
import { briefOf } from "./entry-brief.js";
import type { FactValidity } from "./inspector-api.js";

/** Number of facts that one fact replaces, as far as they are shown. */
const REPLACED_MAX = 20;

/** Returns when a fact is valid, and the facts before and after it. Undefined for other entries. */
export async function validityOf(memory: AgentMemory, entry: MemoryEntry): Promise<FactValidity | undefined> {
  const fact = readRecord(entry, "fact");
  if (fact === undefined) return undefined;
  const { valid_from = entry.occurred_at, valid_until, superseded_by } = fact.metadata;
  const { tier, namespace, key_hash } = entry;
  const place = { tier, namespace };
  const where = { field: "metadata.superseded_by", op: "eq", value: key_hash } as const;
  const [later, earlier] = await Promise.all([
    superseded_by === undefined
      ? []
      : entriesOf(memory.retrieve({ ...place, keys: [{ $hash: superseded_by }] })),
    entriesOf(memory.retrieve({ ...place, where, order: "newest", limit: REPLACED_MAX })),
  ]);
  return {
    from: valid_from,
    ...(valid_until !== undefined && { until: valid_until }),
    superseded: superseded_by !== undefined,
    replaced_by: later.map(briefOf),
    replaces: earlier.map(briefOf),
  };
}

async function entriesOf(read: ReturnType<AgentMemory["retrieve"]>): Promise<readonly MemoryEntry[]> {
  return (await read).entries;
}
