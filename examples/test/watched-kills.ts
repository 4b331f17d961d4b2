import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { MemoryClient } from "@membus/agent-client";
import { connectNatsBus, type NatsBus } from "@membus/bus";
import { type MemoryEvent, systemClock } from "@membus/protocol";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { type CliResult, resultOf } from "../../cli/test/run-cli.js";
import { RunningHost } from "../../cli/test/running-host.js";

/** Result of an example during which the host was killed. */
export interface KilledRun extends CliResult {
  /** Number of kills while the example ran. */
  readonly kills: number;
  /** Entries of durable tiers that the example stored and did not forget, but which are missing. */
  readonly lost: readonly MemoryEvent[];
  /** Number of entries of durable tiers that were stored and not forgotten. */
  readonly kept: number;
}

/** Moments of the kills. */
export interface KillTimes {
  /** Kill when the first store is sent, which may or may not be completed. */
  readonly atFirstStore: boolean;
  /** Numbers of the completed stores at which the host is killed. */
  readonly done: readonly number[];
}

/** Kills a host during stores and records its events. */
export class WatchedKills {
  readonly #host = new RunningHost();
  readonly #clients: MemoryClient[] = [];
  #bus: NatsBus | undefined;

  async start(): Promise<void> {
    await this.#host.start();
    const services = { logger: new RecordingLogger(), clock: systemClock };
    this.#bus = await connectNatsBus({ servers: this.url }, services);
  }

  get url(): string {
    return this.#host.url;
  }

  async client(agent: string): Promise<MemoryClient> {
    const client = await MemoryClient.connect({ servers: this.url, agent, retryTimeoutMs: 120_000 });
    this.#clients.push(client);
    return client;
  }

  /**
   * Runs an example to its end. The host is killed with SIGKILL when the first store is sent, and at the
   * events of the stores in `done` (the first is 1). It is then restarted on the same data.
   */
  async run(
    start: () => ChildProcessWithoutNullStreams,
    { atFirstStore, done }: KillTimes,
  ): Promise<KilledRun> {
    const observer = await this.client("observer");
    const events: MemoryEvent[] = [];
    let killing = Promise.resolve();
    let kills = 0;
    const kill = () => {
      kills += example.exitCode === null ? 1 : 0;
      killing = killing.then(() => this.#host.restart());
    };
    const watch = await observer.watch({ agents: "all" }, (event) => {
      if (event.tier === "working") return;
      events.push(event);
      const stores = events.filter(({ action }) => action === "stored").length;
      if (event.action === "stored" && done.includes(stores)) kill();
    });
    if (atFirstStore) await this.#atFirstStore(kill);
    const example = start();
    const result = await resultOf(example);
    await killing;
    await watch.stop();
    const kept = keptOf(events);
    return { ...result, kills, kept: kept.length, lost: await this.#missing(kept) };
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) await client.close();
    await this.#bus?.close();
    await this.#host.stop();
  }

  /**
   * Runs `kill` at the first store request. The subscription ends then, because a subscriber would prevent
   * the server from reporting a missing host.
   */
  async #atFirstStore(kill: () => void): Promise<void> {
    let isFirst = true;
    const requests = this.#bus!.subscribe("a2e.default.*.memory.store.req", () => {
      if (!isFirst) return;
      isFirst = false;
      kill();
      void requests.drain();
    });
    await this.#bus!.flush();
  }

  async #missing(kept: readonly MemoryEvent[]): Promise<MemoryEvent[]> {
    const missing: MemoryEvent[] = [];
    for (const event of kept) {
      const memory = await this.client(event.author);
      const { namespace, tier, key_hash } = event;
      const { total } = await memory.retrieve({ namespace, tier, keys: [{ $hash: key_hash }], limit: 0 });
      if (total !== 1) missing.push(event);
    }
    return missing;
  }
}

/** Returns the stored entries that were not forgotten, without duplicates. */
function keptOf(events: readonly MemoryEvent[]): MemoryEvent[] {
  const kept = new Map<string, MemoryEvent>();
  for (const event of events) {
    const id = [event.author, event.tier, event.namespace, event.key_hash].join(" ");
    if (event.action === "stored") kept.set(id, event);
    else kept.delete(id);
  }
  return [...kept.values()];
}
