import { type Clock, MemoryError } from "@membus/protocol";
import { failure, type Outcome, success } from "../outcome.js";

export interface AdmissionLimits {
  readonly inFlightCountMax: number;
  readonly inFlightBytesMax: number;
  readonly agentInFlightCountMax: number;
}

/** Long enough for a full host to answer what it has, short enough not to leave it idle. */
const RETRY_AFTER_MS = 100;

/** Bounds the requests under way, by count, by bytes and by agent, so that one agent cannot take every place. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #countByAgent = new Map<string, number>();
  readonly #whenIdle: (() => void)[] = [];
  #count = 0;
  #bytes = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes a place for a request of `agent` (of one tenant), or tells that there is none: `overloaded` with
   * `retry_after_ms`. Every place taken needs its `leave`. A request larger than `inFlightBytesMax` is let in alone.
   */
  enter(agent: string, bytes: number): Outcome<void> {
    const { inFlightCountMax, inFlightBytesMax, agentInFlightCountMax } = this.#limits;
    const ofAgent = this.#countByAgent.get(agent) ?? 0;
    if (this.#count >= inFlightCountMax) return overloaded("requests");
    if (this.#count > 0 && this.#bytes + bytes > inFlightBytesMax) return overloaded("bytes");
    if (ofAgent >= agentInFlightCountMax) return overloaded("requests of this agent");
    this.#count++;
    this.#bytes += bytes;
    this.#countByAgent.set(agent, ofAgent + 1);
    return success(undefined);
  }

  leave(agent: string, bytes: number): void {
    const ofAgent = (this.#countByAgent.get(agent) ?? 0) - 1;
    this.#count--;
    this.#bytes -= bytes;
    if (ofAgent > 0) this.#countByAgent.set(agent, ofAgent);
    else this.#countByAgent.delete(agent);
    if (this.#count > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Resolves when no request is under way. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }
}

function overloaded(what: string): Outcome<never> {
  const detail = { retry_after_ms: RETRY_AFTER_MS };
  return failure(new MemoryError("overloaded", `too many ${what} in flight`, detail));
}

/** Requests that begin in one turn of the event loop. */
const REQUESTS_A_TURN = 16;
/** While reads come, so many of them are left to mutations, and no more: the next read waits for the turn to end. */
const MUTATIONS_BESIDE_READS = 2;
/** Reads come as long as the latest is no older, in seconds. */
const READS_COME_S = 0.02;

/** What there is to know of a request before it begins. */
export interface Turn {
  /** Unix seconds. */
  readonly deadlineAt: number;
  readonly isMutation: boolean;
}

interface Waiting extends Turn {
  begin(): void;
}

/**
 * Begins requests, some in each turn of the event loop: between them, those that wait for the disk go on, and replies go
 * out. Reads come before mutations, which are many when they queue and have the disk to wait for anyway; among
 * themselves, either keep the order in which they came. While reads come, few mutations begin in one turn. One whose
 * deadline passes here never begins, so that none waits here longer than a turn after it was given up.
 */
export class Turns {
  readonly #clock: Clock;
  #waiting: Waiting[] = [];
  #begunCount = 0;
  #lastReadAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Settles as `begin` does; never when the deadline passes first. */
  run<T>(begin: () => Promise<T>, turn: Turn): Promise<T> {
    if (!turn.isMutation) this.#lastReadAt = this.#clock.now();
    const max = turn.isMutation ? this.#mutationsMax() : REQUESTS_A_TURN;
    if (this.#waiting.length === 0 && this.#begunCount < max) {
      this.#count();
      return begin();
    }
    return new Promise((resolve) => {
      this.#waiting.push({ ...turn, begin: () => resolve(begin()) });
    });
  }

  #count(): void {
    if (this.#begunCount++ === 0) setImmediate(() => this.#next());
  }

  #next(): void {
    this.#begunCount = 0;
    const now = this.#clock.now();
    const waiting = this.#waiting.filter(({ deadlineAt }) => deadlineAt > now);
    const next = new Set(this.#firstOf(waiting));
    this.#waiting = waiting.filter((request) => !next.has(request));
    for (const { begin } of next) {
      this.#count();
      begin();
    }
  }

  #mutationsMax(): number {
    const readsCome = this.#clock.now() - this.#lastReadAt < READS_COME_S;
    return readsCome ? MUTATIONS_BESIDE_READS : REQUESTS_A_TURN;
  }

  #firstOf(waiting: readonly Waiting[]): Waiting[] {
    const mutations = waiting.filter(({ isMutation }) => isMutation).slice(0, this.#mutationsMax());
    const reads = waiting.filter(({ isMutation }) => !isMutation);
    const begun = reads.slice(0, REQUESTS_A_TURN - Math.min(MUTATIONS_BESIDE_READS, mutations.length));
    return [...begun, ...mutations.slice(0, REQUESTS_A_TURN - begun.length)];
  }
}
