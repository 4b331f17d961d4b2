import { isPositioned, messageNamespace } from "@membus/agentic/positioned-record";
import { keyHash, type MemoryEntry } from "@membus/protocol";
import type { NamedMessages } from "./import-item.js";

type ExportedEntry = Pick<MemoryEntry, "key" | "metadata" | "tier" | "namespace" | "group" | "seq">;

/**
 * The messages of the conversations that records of an export name by position. A first reading of the file
 * finds these conversations, and a second one their messages, which may follow the record.
 */
export class PositionsInExport {
  /** Key hashes of messages by position, for each conversation. */
  readonly #conversations = new Map<string, Map<number, string>>();

  /** Whether the export has records that name messages by position. */
  get hasRecords(): boolean {
    return this.#conversations.size > 0;
  }

  addRecord(entry: ExportedEntry): void {
    if (!isPositioned(entry)) return;
    const conversation = conversationOf(entry, messageNamespace(entry));
    if (!this.#conversations.has(conversation)) this.#conversations.set(conversation, new Map());
  }

  addMessage(entry: ExportedEntry): void {
    if (entry.metadata?.kind !== "message") return;
    const conversation = conversationOf(entry, entry.namespace);
    this.#conversations.get(conversation)?.set(entry.seq, keyHash(entry.key));
  }

  /** Returns the messages of the conversation of a record, after all messages were added. */
  messagesOf(entry: ExportedEntry): NamedMessages {
    const { tier } = entry;
    const namespace = messageNamespace(entry);
    const hashes = this.#conversations.get(conversationOf(entry, namespace)) ?? new Map();
    return { tier, namespace, hashes };
  }
}

function conversationOf({ tier, group }: ExportedEntry, namespace: string): string {
  return JSON.stringify([tier, namespace, group ?? null]);
}
