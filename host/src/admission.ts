import { MemoryError } from "@membus/protocol";
import { failure, type Outcome, success } from "./outcome.js";

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
