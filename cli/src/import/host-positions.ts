import type { AgentMemory, EntryInput } from "@membus/agent-client";
import { withPositions } from "@membus/agentic/positioned-record";
import { keyHash, LIMITS, type MemoryEntry } from "@membus/protocol";
import { type ImportItem, type NamedMessages, rejected } from "./import-item.js";

const WITHOUT_MESSAGES =
  "the messages that it describes are not on the host: they were rejected, or have expired";
const SAME_MESSAGES =
  "an earlier record of this file describes the same messages, because others are not on the host";

/**
 * Replaces positions of messages in records by the positions of the same messages on the host. A record of messages
 * that the host does not have is rejected. `used` has the keys of all earlier records of the import.
 */
export async function withHostPositions(
  client: AgentMemory,
  items: readonly ImportItem[],
  used: Set<string>,
): Promise<readonly ImportItem[]> {
  const conversations = new Map<NamedMessages["hashes"], HostMessage[]>();
  for (const { messages } of items) {
    if (messages === undefined || conversations.has(messages.hashes)) continue;
    conversations.set(messages.hashes, await messagesOnHost(client, messages));
  }
  return items.map((item) => {
    const { messages, entry } = item;
    if (messages === undefined || entry === undefined) return item;
    return withPlaces(item, entry as MemoryEntry, conversations.get(messages.hashes)!, used);
  });
}

function withPlaces(
  item: ImportItem,
  entry: MemoryEntry,
  messages: readonly HostMessage[],
  used: Set<string>,
): ImportItem {
  let isEmpty = false;
  const moved = withPositions(entry, {
    position: (seq) => hostPosition(messages, seq),
    range: (range) => {
      const found = hostRange(messages, range);
      if (found === undefined) isEmpty = true;
      return found ?? range;
    },
  });
  if (isEmpty) return rejected(item.line, item.bytes, WITHOUT_MESSAGES);
  const id = `${entry.tier} ${item.namespace} ${keyHash(moved.key)}`;
  if (used.has(id)) return rejected(item.line, item.bytes, SAME_MESSAGES);
  used.add(id);
  return { ...item, entry: moved as EntryInput };
}

/** A message of an export that the host has. */
interface HostMessage {
  /** Position in the export. */
  readonly seq: number;
  readonly hostSeq: number;
}

async function messagesOnHost(
  client: AgentMemory,
  { tier, namespace, hashes }: NamedMessages,
): Promise<HostMessage[]> {
  const found = new Map<string, number>();
  const all = [...hashes.values()];
  for (let from = 0; from < all.length; from += LIMITS.criteriaKeys) {
    const keys = all.slice(from, from + LIMITS.criteriaKeys).map((hash) => ({ $hash: hash }));
    for await (const { key_hash, seq } of client.entries({ tier, namespace, keys })) found.set(key_hash, seq);
  }
  return [...hashes].flatMap(([seq, hash]) => {
    const hostSeq = found.get(hash);
    return hostSeq === undefined ? [] : { seq, hostSeq };
  });
}

/**
 * Returns the last position on the host up to which all messages were at or before `seq`. A host that had some of the
 * messages may have another order, and a learner must not skip any.
 */
function hostPosition(messages: readonly HostMessage[], seq: number): number {
  const later = messages.filter((message) => message.seq > seq);
  const end = smallest(later);
  return largest(messages.filter((message) => message.seq <= seq && message.hostSeq < end));
}

/** Returns the smallest range with all messages of a range, undefined if the host has none of them. */
function hostRange(messages: readonly HostMessage[], { from, to }: { from: number; to: number }) {
  if (to === 0) return { from, to };
  const within = messages.filter(({ seq }) => seq >= from && seq <= to);
  return within.length === 0 ? undefined : { from: smallest(within), to: largest(within) };
}

function smallest(messages: readonly HostMessage[]): number {
  return messages.reduce((least, { hostSeq }) => Math.min(least, hostSeq), Number.POSITIVE_INFINITY);
}

function largest(messages: readonly HostMessage[]): number {
  return messages.reduce((most, { hostSeq }) => Math.max(most, hostSeq), 0);
}
