import type { ChatMessage, LongTermMemory } from "@membus/agentic";

/** A memory, and when nothing is being recorded into it. */
interface KeptMemory {
  readonly memory: LongTermMemory;
  idle: Promise<void>;
}

/** One memory for each that turns are about, so that what each does in the background can be waited for and ended. */
export class PeopleMemories {
  readonly #own: LongTermMemory;
  readonly #countMax: number;
  /** By whom they are about; that which was recorded into last is the last one. */
  readonly #kept = new Map<string, KeptMemory>();
  /** Those that are let go, until what they do is done. */
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  /** @param countMax so many others are kept, those of the latest turns. */
  constructor(own: LongTermMemory, countMax: number) {
    this.#own = own;
    this.#countMax = countMax;
  }

  /** For reading alone: it does nothing in the background. */
  forSubject(subject: string): LongTermMemory {
    return this.#kept.get(subject)?.memory ?? this.#made(subject);
  }

  async record(subject: string, said: readonly ChatMessage[], wait: boolean): Promise<void> {
    const kept = this.#kept.get(subject) ?? { memory: this.#made(subject), idle: Promise.resolve() };
    const { memory } = kept;
    const recording = wait ? memory.record(said) : memory.record(said, { wait: false });
    if (memory !== this.#own && !wait) {
      kept.idle = Promise.allSettled([kept.idle, recording]).then(() => undefined);
      this.#keep(subject, kept);
    }
    await recording;
  }

  /** When nothing is being done in the background. */
  async settled(): Promise<void> {
    const kept = [...this.#kept.values()].map(async ({ memory, idle }) => {
      await idle;
      await memory.settled();
    });
    await Promise.all([this.#own.settled(), ...kept, ...this.#ending]);
  }

  /** Ends the background; what is queued stays so. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const kept = [...this.#kept.values()].map(({ memory }) => memory.close());
    await Promise.all([this.#own.close(), ...kept, ...this.#ending]);
  }

  #made(subject: string): LongTermMemory {
    return subject === this.#own.subject ? this.#own : this.#own.forSubject(subject);
  }

  #keep(subject: string, kept: KeptMemory): void {
    this.#kept.delete(subject);
    this.#kept.set(subject, kept);
    if (this.#isClosed) void kept.memory.close();
    if (this.#kept.size <= this.#countMax) return;
    const [oldest, { memory, idle }] = this.#kept.entries().next().value!;
    this.#kept.delete(oldest);
    // Not before all is queued and has been tried: a memory that is closed begins nothing.
    const ending = idle
      .then(() => memory.settled())
      .then(() => memory.close())
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
