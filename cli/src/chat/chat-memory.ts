import { randomUUID } from "node:crypto";
import type { ChatMessage, Conversation, LongTermMemory, Recall } from "@membus/agentic";
import { isMemoryError } from "@membus/protocol";

/** Turns of this process that are used while memory fails, and that wait for it. */
const TURNS_MAX = 100;

interface StoredMessage {
  readonly id: string;
  readonly message: ChatMessage;
}

/** A question and its answer. */
export type Turn = readonly [question: string, answer: string];

/**
 * The memory of a chat. While the host is away or memory fails, it keeps the turns of this process and stores them
 * later.
 */
export class ChatMemory {
  readonly #conversation: Conversation;
  readonly #longTerm: LongTermMemory;
  readonly #note: (line: string) => void;
  /** The latest turns of this process. */
  readonly #recent: StoredMessage[] = [];
  /** The turns that are not stored yet. */
  readonly #pending: StoredMessage[] = [];
  #isAvailable = true;

  /** @param note receives a line when memory fails, and when it works again. */
  constructor(conversation: Conversation, longTerm: LongTermMemory, note: (line: string) => void) {
    this.#conversation = conversation;
    this.#longTerm = longTerm;
    this.#note = note;
  }

  /** False while memory fails. */
  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  /** Number of turns that are not stored yet. */
  get pendingCount(): number {
    return this.#pending.length / 2;
  }

  /** The messages of the latest turns of this process, oldest first. */
  get recent(): readonly ChatMessage[] {
    return this.#recent.map(({ message }) => message);
  }

  /** Stores the waiting turns, then returns the memories about a text. undefined while memory fails. */
  async recall(text: string): Promise<Recall | undefined> {
    return this.attempt(async () => {
      await this.#storePending();
      return this.#longTerm.retrieve(text);
    });
  }

  /** Stores a turn, or keeps it until memory works again. Both messages are stored, or neither of them. */
  async keep([question, answer]: Turn): Promise<void> {
    const turn = [
      { id: randomUUID(), message: { role: "user", content: question } },
      { id: randomUUID(), message: { role: "assistant", content: answer } },
    ] as const;
    for (const list of [this.#recent, this.#pending]) {
      list.push(...turn);
      list.splice(0, list.length - 2 * TURNS_MAX);
    }
    if (this.#isAvailable) await this.attempt(() => this.#storePending());
  }

  /** Tries once more to store the waiting turns. */
  async flush(): Promise<void> {
    await this.attempt(() => this.#storePending());
  }

  /** Returns the result of `work`, undefined if memory fails. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      if (!this.#isAvailable) this.#note("memory is available again");
      this.#isAvailable = true;
      return result;
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      const { code, message } = error;
      if (this.#isAvailable) {
        this.#note(`memory is not available (${code}: ${message}). The chat continues without it.`);
      }
      this.#isAvailable = false;
      return undefined;
    }
  }

  /** The ids make a repeated attempt harmless. */
  async #storePending(): Promise<void> {
    const turns = [...this.#pending];
    if (turns.length === 0) return;
    await this.#conversation.add(turns);
    this.#pending.splice(0, turns.length);
  }
}
