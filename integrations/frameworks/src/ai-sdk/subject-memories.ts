import type { ChatMessage, LongTermMemory } from "@membus/agentic";

/** A memory of one subject, and a promise for its pending recordings. */
interface ActiveMemory {
  readonly memory: LongTermMemory;
  idle: Promise<void>;
}

/** The memories of all subjects of a middleware, so that their background work can be awaited and stopped. */
export class SubjectMemories {
  readonly #own: LongTermMemory;
  readonly #countMax: number;
  /** Memories by subject, last recorded one last. */
  readonly #kept = new Map<string, ActiveMemory>();
  /** Evicted memories with pending work. */
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  /** @param countMax maximum number of other subjects to keep. Subjects of the latest turns are kept. */
  constructor(own: LongTermMemory, countMax: number) {
    this.#own = own;
    this.#countMax = countMax;
  }

  /** Returns a memory for reading, without background work. */
  forSubject(subject: string): LongTermMemory {
    return this.#kept.get(subject)?.memory ?? this.#made(subject);
  }

  async record(subject: string, messages: readonly ChatMessage[], wait: boolean): Promise<void> {
    const kept = this.#kept.get(subject) ?? { memory: this.#made(subject), idle: Promise.resolve() };
    const { memory } = kept;
    const recording = wait ? memory.record(messages) : memory.record(messages, { wait: false });
    if (memory !== this.#own && !wait) {
      kept.idle = Promise.allSettled([kept.idle, recording]).then(() => undefined);
      this.#keep(subject, kept);
    }
    await recording;
  }

  /** Resolves when no background work is in progress. */
  async settled(): Promise<void> {
    const kept = [...this.#kept.values()].map(async ({ memory, idle }) => {
      await idle;
      await memory.settled();
    });
    await Promise.all([this.#own.settled(), ...kept, ...this.#ending]);
  }

  /** Stops the background work. Queued work stays queued. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const kept = [...this.#kept.values()].map(({ memory }) => memory.close());
    await Promise.all([this.#own.close(), ...kept, ...this.#ending]);
  }

  #made(subject: string): LongTermMemory {
    return subject === this.#own.subject ? this.#own : this.#own.forSubject(subject);
  }

  #keep(subject: string, kept: ActiveMemory): void {
    this.#kept.delete(subject);
    this.#kept.set(subject, kept);
    if (this.#isClosed) void kept.memory.close();
    if (this.#kept.size <= this.#countMax) return;
    const [oldest, { memory, idle }] = this.#kept.entries().next().value!;
    this.#kept.delete(oldest);
    // A closed memory starts no work, so everything must be queued and tried before.
    const ending = idle
      .then(() => memory.settled())
      .then(() => memory.close())
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
