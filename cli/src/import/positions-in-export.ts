import { isPositioned, messageNamespace, positionsOf } from "@membus/agentic/positioned-record";
import { keyHash, type MemoryEntry } from "@membus/protocol";
import type { NamedMessages } from "./import-item.js";

type ExportedEntry = Pick<
  MemoryEntry,
  "key" | "content" | "metadata" | "tier" | "namespace" | "group" | "seq"
>;

/** A message at a position, or the last one before it. */
interface FoundMessage {
  readonly seq: number;
  readonly hash: string;
}

/**
 * The positions that records of an export name, and the messages at these positions. A first reading of the
 * file collects the positions, and a second one finds the messages, which may follow their record.
 */
export class PositionsInExport {
  /** Messages by position, for each conversation. */
  readonly #conversations = new Map<string, Map<number, FoundMessage | undefined>>();
  readonly #sorted = new Map<string, readonly number[]>();
  #hasRecords = false;

  /** Whether the export has records that name messages by position. */
  get hasRecords(): boolean {
    return this.#hasRecords;
  }

  addRecord(entry: ExportedEntry): void {
    if (!isPositioned(entry)) return;
    this.#hasRecords = true;
    const conversation = conversationOf(entry, messageNamespace(entry));
    const positions = this.#conversations.get(conversation) ?? new Map();
    for (const position of positionsOf(entry)) positions.set(position, undefined);
    this.#conversations.set(conversation, positions);
  }

  addMessage(entry: ExportedEntry): void {
    if (entry.metadata?.kind !== "message") return;
    const conversation = conversationOf(entry, entry.namespace);
    const positions = this.#conversations.get(conversation);
    const position = this.#positions(conversation).find((each) => each >= entry.seq);
    if (positions === undefined || position === undefined) return;
    const found = positions.get(position);
    if (found !== undefined && found.seq > entry.seq) return;
    positions.set(position, { seq: entry.seq, hash: keyHash(entry.key) });
  }

  /** Returns the messages of a record, after all messages were added. */
  messagesOf(entry: ExportedEntry): NamedMessages {
    const { tier } = entry;
    const namespace = messageNamespace(entry);
    const conversation = conversationOf(entry, namespace);
    const found = [...(this.#conversations.get(conversation)?.values() ?? [])];
    const hashes = positionsOf(entry).flatMap((position): [number, string][] => {
      const last = found.reduce<FoundMessage | undefined>(
        (best, each) =>
          each !== undefined && each.seq <= position && each.seq >= (best?.seq ?? 0) ? each : best,
        undefined,
      );
      return last === undefined ? [] : [[position, last.hash]];
    });
    return { tier, namespace, hashes: new Map(hashes) };
  }

  #positions(conversation: string): readonly number[] {
    const known = this.#sorted.get(conversation);
    if (known !== undefined) return known;
    const positions = [...(this.#conversations.get(conversation)?.keys() ?? [])].sort((a, b) => a - b);
    if (positions.length > 0) this.#sorted.set(conversation, positions);
    return positions;
  }
}

function conversationOf({ tier, group }: ExportedEntry, namespace: string): string {
  return JSON.stringify([tier, namespace, group ?? null]);
}
