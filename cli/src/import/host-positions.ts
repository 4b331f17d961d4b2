import type { AgentMemory, EntryInput } from "@membus/agent-client";
import { withPositions } from "@membus/agentic/positioned-record";
import { LIMITS, type MemoryEntry } from "@membus/protocol";
import type { ImportItem, NamedMessages } from "./import-item.js";

/** Replaces the positions of messages in records by the positions of the same messages on the host. */
export async function withHostPositions(
  client: AgentMemory,
  items: readonly ImportItem[],
): Promise<readonly ImportItem[]> {
  const named = items.flatMap(({ messages, problem }) => (problem === undefined ? (messages ?? []) : []));
  if (named.length === 0) return items;
  const seqs = await seqsOf(client, named);
  return items.map((item) => {
    const { messages, entry } = item;
    if (messages === undefined || entry === undefined) return item;
    const place = (seq: number) => seqs.get(messageId(messages, messages.hashes.get(seq) ?? "")) ?? 0;
    return { ...item, entry: withPositions(entry as MemoryEntry, place) as EntryInput };
  });
}

async function seqsOf(client: AgentMemory, named: readonly NamedMessages[]): Promise<Map<string, number>> {
  const scopes = new Map<string, Pick<NamedMessages, "tier" | "namespace"> & { hashes: Set<string> }>();
  for (const { tier, namespace, hashes } of named) {
    const place = `${tier} ${namespace}`;
    const known = scopes.get(place)?.hashes ?? [];
    scopes.set(place, { tier, namespace, hashes: new Set([...known, ...hashes.values()]) });
  }
  const seqs = new Map<string, number>();
  for (const scope of scopes.values()) {
    const { tier, namespace } = scope;
    const hashes = [...scope.hashes];
    for (let from = 0; from < hashes.length; from += LIMITS.criteriaKeys) {
      const keys = hashes.slice(from, from + LIMITS.criteriaKeys).map((hash) => ({ $hash: hash }));
      for await (const entry of client.entries({ tier, namespace, keys })) {
        seqs.set(messageId(scope, entry.key_hash), entry.seq);
      }
    }
  }
  return seqs;
}

function messageId({ tier, namespace }: Pick<NamedMessages, "tier" | "namespace">, hash: string): string {
  return `${tier} ${namespace} ${hash}`;
}
