import { setTimeout as sleep } from "node:timers/promises";
import type { MemoryClient } from "../../../agent-client/src/index.js";
import type { Chance } from "../../../cli/test/crash/kill-loop/chance.js";
import type { Call, ReadCall } from "./call.js";
import { EPISODIC, HistoryClient } from "./history-client.js";
import { problemsOf } from "./problems.js";

/** Calls that clients must have made to have gone on, and the time that they have for it. */
const GO_ON = { calls: 50, withinMs: 180_000, lookEveryMs: 20 };

/** Clients of one memory that call it at the same time, and all that they saw. */
export class MemoryHistory {
  readonly clients: readonly HistoryClient[];
  readonly #agents: readonly MemoryClient[];
  readonly #calls: Call[] = [];
  #running: readonly Promise<void>[] = [];
  #failure: unknown;

  /** @param agents connections of the same agent. */
  constructor(agents: readonly MemoryClient[], chance: Chance, { purges = false } = {}) {
    this.#agents = agents;
    const calls = this.#calls;
    this.clients = agents.map(
      (agent, number) => new HistoryClient(agent, { calls, chance: chance.branch(), number, purges }),
    );
  }

  get answeredCount(): number {
    return this.clients.reduce((sum, { answeredCount }) => sum + answeredCount, 0);
  }

  /** Makes calls until `problems`. */
  start(): void {
    this.#running = this.clients.map((client) => client.run());
    for (const running of this.#running)
      running.catch((error: unknown) => {
        this.#failure ??= error;
      });
  }

  /** Resolves when the clients have made more calls. Rejects once a call fails for good, or after three minutes. */
  async goOn(): Promise<void> {
    const count = this.answeredCount + GO_ON.calls;
    const endsAt = performance.now() + GO_ON.withinMs;
    while (this.answeredCount < count) {
      if (this.#failure !== undefined) throw this.#failure;
      if (performance.now() > endsAt) throw new Error("the clients of a memory did not go on");
      await sleep(GO_ON.lookEveryMs);
    }
  }

  /** Ends the calls, reads all keys once more, and returns all problems. */
  async problems(): Promise<string[]> {
    for (const client of this.clients) client.stop();
    const ended = await Promise.allSettled(this.#running);
    const failed = ended.flatMap((end) => (end.status === "rejected" ? [failure(end.reason)] : []));
    const repeated = this.clients.flatMap(({ repeatProblems }) => repeatProblems);
    const unread = await this.#readAll().catch((error: unknown) => [failure(error)]);
    return [...failed, ...repeated, ...unread, ...problemsOf(this.#calls)];
  }

  /** Reads all keys, and compares them with a list of all entries. */
  async #readAll(): Promise<string[]> {
    const keys = new Set(this.#calls.map(({ key }) => key));
    for (const key of keys) await this.clients[0]!.read(key);
    const reads = this.#calls.slice(-keys.size) as ReadCall[];
    const expected = reads.filter(({ value }) => value !== null).map(({ key, value }) => `${key}: ${value}`);
    const listed: string[] = [];
    for await (const { key, content } of this.#agents[0]!.entries(EPISODIC))
      listed.push(`${String(key.name)}: ${content}`);
    const isSame = listed.toSorted().join() === expected.toSorted().join();
    return isSame ? [] : [`a list is not what reads found: ${listed.join(", ")}`];
  }
}

function failure(error: unknown): string {
  return `a call fails for good: ${error instanceof Error ? error.message : String(error)}`;
}
