import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClientOptions, MemoryClient } from "@membus/agent-client";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { freePort } from "../../../bus/test/free-port.js";
import { NATS_SERVER } from "../../../bus/test/nats-server.js";
import {
  AFTER_SIGNAL,
  ARMED,
  type KillPoint,
  killPointEnvironment,
} from "../../../plugins/disk/test/kill-point-environment.js";
import { type CliResult, endChild, lineOf, resultOf, runCli, spawnCli } from "../run-cli.js";
import type { Chance } from "./kill-loop/chance.js";
import { appendTail, TAILS } from "./log-damage.js";

/** Small limits, so that flushes, purges and log rotations happen all the time. */
const SETTINGS = `
kit: { flushIdleMs: 100, flushCount: 100 }
log: { segmentBytes: 65536 }
`;

/** In every second recovery, a starting host is killed too. */
const RECOVERIES_PER_KILLED_START = 2;
/** Approximate number of file changes of a host that starts. */
const START_FILE_CHANGES = 40;
const DURABLE = ["episodic", "semantic"] as const;

const LISTENING = /^membus is listening on/;

/** `membus up` and a nats-server in a temporary folder. Both can be killed and restarted. */
export class ChaosStage {
  readonly directory = mkdtempSync(join(tmpdir(), "membus-test-"));
  readonly data: string;
  readonly #clients: MemoryClient[] = [];
  readonly #hosts: ChildProcessWithoutNullStreams[] = [];
  #server: NatsServer | undefined;
  #recoveries = 0;

  private constructor(data: string | undefined) {
    this.data = data ?? join(this.directory, "data");
    writeFileSync(join(this.directory, "membus.yaml"), SETTINGS);
  }

  /** Starts a nats-server. The host is not started. A given folder is kept on close. */
  static async open({ data = undefined as string | undefined } = {}): Promise<ChaosStage> {
    const stage = new ChaosStage(data);
    stage.#server = await launchNatsServer({ binary: NATS_SERVER, port: await freePort() });
    return stage;
  }

  get url(): string {
    return this.#server!.url;
  }

  get hostPid(): number {
    return this.#hosts.at(-1)!.pid!;
  }

  async killServer(): Promise<void> {
    await this.#server!.kill();
  }

  /** Restarts the server on its former port. */
  async startServer(): Promise<void> {
    this.#server = await launchNatsServer({ binary: NATS_SERVER, port: this.#server!.port });
  }

  /** Resolves when the host serves. */
  async startHost({ data = this.data, args = [] as readonly string[], url = this.url } = {}): Promise<void> {
    await lineOf(this.#spawnHost(data, args, url), LISTENING);
  }

  /** Runs a host that is expected to fail, until it exits. */
  refusedHost({ data = this.data, url = this.url } = {}): Promise<CliResult> {
    return runCli(["up", "--data", data], { cwd: this.directory, url });
  }

  /** Resolves when the latest host has exited without a signal. */
  hostEnd(): Promise<CliResult> {
    return resultOf(this.#hosts.at(-1)!);
  }

  /** Starts a host that kills itself before a file change of its start. A host that starts is killed. */
  async killStartingHost(fileChange: number): Promise<void> {
    const host = this.#spawnHost(this.data, [], this.url, { fileChange });
    await Promise.race([once(host, "close"), lineOf(host, LISTENING).catch(() => undefined)]);
    await this.killHost();
  }

  /**
   * Starts the host after a kill. Its logs end with the remains of a write. Every second time, a starting host is killed
   * before. Returns the number of kills, at most `killsMax`.
   */
  async recover(chance: Chance, killsMax: number): Promise<number> {
    const tail = chance.one(TAILS);
    for (const tier of DURABLE) appendTail(join(this.data, tier, "log"), tail, chance);
    const isKilled = this.#recoveries++ % RECOVERIES_PER_KILLED_START === RECOVERIES_PER_KILLED_START - 1;
    const kills = isKilled && killsMax > 0 ? 1 : 0;
    if (kills > 0) await this.killStartingHost(chance.int(START_FILE_CHANGES, 1));
    await this.startHost();
    return kills;
  }

  /** Starts a host that kills itself before a file change, counted from `armHost` on. */
  async startArmedHost(fileChange: number): Promise<void> {
    const host = this.#spawnHost(this.data, [], this.url, { after: AFTER_SIGNAL, fileChange });
    await lineOf(host, LISTENING);
  }

  async armHost(): Promise<void> {
    const host = this.#hosts.at(-1)!;
    const armed = lineOf(host, new RegExp(`^${ARMED}`));
    host.kill(AFTER_SIGNAL);
    await armed;
  }

  async killHost(): Promise<void> {
    await endChild(this.#hosts.at(-1)!, "SIGKILL");
  }

  /** Returns the exit code. */
  stopHost(): Promise<number | null> {
    return endChild(this.#hosts.at(-1)!, "SIGTERM");
  }

  async client(options: ClientOptions): Promise<MemoryClient> {
    const client = await MemoryClient.connect({ servers: this.url, ...options });
    this.#clients.push(client);
    return client;
  }

  /** @param keep keeps the folder for inspection. */
  async close({ keep = false } = {}): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await Promise.all(this.#hosts.map((host) => endChild(host, "SIGKILL")));
    await this.#server?.kill();
    if (!keep) rmSync(this.directory, { recursive: true });
  }

  #spawnHost(
    data: string,
    args: readonly string[],
    url: string,
    killPoint?: KillPoint,
  ): ChildProcessWithoutNullStreams {
    const env = killPoint === undefined ? {} : killPointEnvironment(killPoint);
    const host = spawnCli(["up", "--data", data, ...args], { cwd: this.directory, url, env });
    this.#hosts.push(host);
    return host;
  }
}
