import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentMemory, MemoryClient } from "@membus/agent-client";
import { freePort } from "../../../bus/test/free-port.js";
import { endChild, lineOf, spawnCli } from "../run-cli.js";

/** Programs of the noise benchmark. */
const PROGRAMS = fileURLToPath(new URL("../../../tools/bench/dist/noise/", import.meta.url));
/**
 * In this test, attackers and host share a machine, unlike in production. The server disconnects a host that does not read
 * 512 MiB, so no flood has more than an eighth of them on the way.
 */
const LIMITS = { ATTACK_NICE: "19", FLOOD_UNANSWERED_BYTES: String(64 * 1024 * 1024) };

/** A `membus up` with its embedded server, and its agent bob. */
export class Neighbours {
  readonly #url: string;
  readonly #client: MemoryClient;
  readonly #up: ChildProcessWithoutNullStreams;
  readonly #directory: string;
  #log = "";

  private constructor(
    url: string,
    client: MemoryClient,
    up: ChildProcessWithoutNullStreams,
    directory: string,
  ) {
    this.#url = url;
    this.#client = client;
    this.#up = up;
    this.#directory = directory;
    up.stderr.on("data", (chunk) => {
      this.#log += chunk;
    });
  }

  static async start(): Promise<Neighbours> {
    const directory = mkdtempSync(join(tmpdir(), "membus-test-"));
    const port = await freePort();
    const args = ["up", "--data", join(directory, "data"), "--port", String(port)];
    const up = spawnCli(args, { cwd: directory });
    await lineOf(up, /^membus is listening on/);
    const url = `nats://127.0.0.1:${port}`;
    const client = await MemoryClient.connect({ servers: url, agent: "bob", retryTimeoutMs: 60_000 });
    return new Neighbours(url, client, up, directory);
  }

  get bob(): AgentMemory {
    return this.#client;
  }

  /** Log of the host about its connection and failures. */
  get log(): string {
    return this.#log;
  }

  get isRunning(): boolean {
    return this.#up.exitCode === null && this.#up.signalCode === null;
  }

  /** Runs `work` while programs of the noise benchmark run, given with their arguments, started in order. */
  async during<T>(attacks: readonly (readonly string[])[], work: () => Promise<T>): Promise<T> {
    const attackers: ChildProcessWithoutNullStreams[] = [];
    try {
      for (const attack of attacks) {
        const attacker = this.#attack(attack);
        attackers.push(attacker);
        await lineOf(attacker, /^ready/);
      }
      return await work();
    } finally {
      await Promise.all(attackers.map((attacker) => endChild(attacker, "SIGKILL")));
    }
  }

  #attack([program, ...args]: readonly string[]): ChildProcessWithoutNullStreams {
    const env = { ...process.env, NATS_URL: this.#url, ...LIMITS };
    const attacker = spawn(process.execPath, [join(PROGRAMS, `${program}.js`), ...args], { env });
    attacker.stderr.pipe(process.stderr);
    return attacker;
  }

  async stop(): Promise<void> {
    await this.#client.close();
    await endChild(this.#up, "SIGTERM");
    rmSync(this.#directory, { recursive: true });
  }
}
