import type { AgentMemory, EntryInput } from "@membus/agent-client";
import { withPositions } from "@membus/agentic/positioned-record";
import { keyHash, LIMITS, type MemoryEntry } from "@membus/protocol";
import { type ImportItem, type NamedMessages, rejected } from "./import-item.js";

const WITHOUT_MESSAGES =
  "the messages that it describes are not on the host: they were rejected, or have expired";
const SAME_MESSAGES =
  "an earlier record of this file describes the same messages, because others are not on the host";

/** Gives records of an export the positions that their messages have on the host. */
export class HostPositions {
  readonly #client: AgentMemory;
  /** Messages on the host, by the messages of their conversation in the export. */
  readonly #conversations = new Map<NamedMessages["hashes"], readonly HostMessage[]>();
  /** Keys of all records so far. */
  readonly #used = new Set<string>();

  constructor(client: AgentMemory) {
    this.#client = client;
  }

  /**
   * Returns the items with new positions in their records, after all messages were stored. A record of messages
   * that the host does not have is rejected, and so is one that would overwrite an earlier record of the import.
   */
  async place(items: readonly ImportItem[]): Promise<readonly ImportItem[]> {
    for (const { messages } of items) {
      if (messages === undefined || this.#conversations.has(messages.hashes)) continue;
      this.#conversations.set(messages.hashes, await messagesOnHost(this.#client, messages));
    }
    return items.map((item) => this.#placed(item));
  }

  #placed(item: ImportItem): ImportItem {
    const { messages: named, entry, namespace, line, bytes } = item;
    if (named === undefined || entry === undefined) return item;
    const messages = this.#conversations.get(named.hashes)!;
    let isEmpty = false;
    const moved = withPositions(entry as MemoryEntry, {
      position: (seq) => hostPosition(messages, seq),
      range: (range) => {
        const found = hostRange(messages, range);
        if (found === undefined) isEmpty = true;
        return found ?? range;
      },
    });
    if (isEmpty) return rejected(line, bytes, WITHOUT_MESSAGES);
    const id = `${moved.tier} ${namespace} ${keyHash(moved.key)}`;
    if (this.#used.has(id)) return rejected(line, bytes, SAME_MESSAGES);
    this.#used.add(id);
    return { ...item, entry: moved as EntryInput };
  }
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
