import type { MonotonicClock } from "@membus/protocol";
import type { LogStreams } from "./log-streams.js";

/** Time between two looks. All hosts together have hundreds of streams, and each look asks for all of them. */
const INTERVAL_MS = 10_000;

/** Notices servers that store streams of a log and are down or late. */
export class ServerWatch {
  readonly #streams: Pick<LogStreams, "absentServers">;
  readonly #clock: MonotonicClock;
  #absent: readonly string[] = [];
  #nextMs: number;
  #isLooking = false;

  constructor(streams: Pick<LogStreams, "absentServers">, clock: MonotonicClock) {
    this.#streams = streams;
    this.#clock = clock;
    this.#nextMs = clock.elapsedMs();
  }

  /** Names of these servers at the last look, sorted. */
  get absent(): readonly string[] {
    return this.#absent;
  }

  /**
   * Looks at these streams in the background, at most every ten seconds. If the servers do not answer, the last result
   * stays.
   */
  look(streamNames: readonly string[]): void {
    if (this.#isLooking || this.#clock.elapsedMs() < this.#nextMs) return;
    this.#isLooking = true;
    void this.#look(streamNames)
      .catch(() => undefined)
      .finally(() => {
        this.#isLooking = false;
        this.#nextMs = this.#clock.elapsedMs() + INTERVAL_MS;
      });
  }

  async #look(streamNames: readonly string[]): Promise<void> {
    const found = new Set<string>();
    for (const name of streamNames)
      for (const server of await this.#streams.absentServers(name)) found.add(server);
    this.#absent = [...found].sort();
  }
}
