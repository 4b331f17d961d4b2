import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { type KillPoint, killPointEnvironment } from "../../plugins/disk/test/kill-point-environment.js";
import { type CliResult, endChild, lineOf, runCli, spawnCli } from "./run-cli.js";

/** A nats-server and a `membus up` on a free port, with a temporary folder. */
export class RunningHost {
  readonly directory = mkdtempSync(join(tmpdir(), "membus-test-"));
  #server: NatsServer | undefined;
  #up: ChildProcessWithoutNullStreams | undefined;
  readonly #children: ChildProcessWithoutNullStreams[] = [];

  get url(): string {
    return this.#server!.url;
  }

  async start(): Promise<void> {
    this.#server = await launchNatsServer({ binary: NATS_SERVER });
    await this.#startUp();
  }

  /** Kills the host with SIGKILL and starts another one on the same data, which may kill itself at a point. */
  async restart(flags: readonly string[] = [], killPoint?: KillPoint): Promise<void> {
    await endChild(this.#up!, "SIGKILL");
    await this.#startUp(flags, killPoint && killPointEnvironment(killPoint));
  }

  get data(): string {
    return join(this.directory, "data");
  }

  /** Kills only the host, with SIGKILL. */
  async kill(): Promise<void> {
    await endChild(this.#up!, "SIGKILL");
  }

  /** Resolves when a host with a kill point has ended. */
  async ended(): Promise<void> {
    const up = this.#up!;
    if (up.exitCode === null && up.signalCode === null) await once(up, "close");
  }

  async #startUp(flags: readonly string[] = [], env: Record<string, string> = {}): Promise<void> {
    this.#up = spawnCli(["up", "--data", this.data, ...flags], {
      url: this.url,
      cwd: this.directory,
      env,
    });
    await lineOf(this.#up, /^membus is listening on/);
  }

  /** Runs `membus <args>` against this host. */
  cli(args: readonly string[], input?: string): Promise<CliResult> {
    return runCli(args, { url: this.url, cwd: this.directory, ...(input !== undefined && { input }) });
  }

  spawn(args: readonly string[], killPoint?: KillPoint): ChildProcessWithoutNullStreams {
    const env = killPoint && killPointEnvironment(killPoint);
    const child = spawnCli(args, { url: this.url, cwd: this.directory, ...(env && { env }) });
    this.#children.push(child);
    return child;
  }

  /** Returns the output of a command with `--json`, which must succeed. */
  async json<T = Record<string, unknown>>(args: readonly string[], input?: string): Promise<T> {
    const { code, stdout, stderr } = await this.cli([...args, "--json"], input);
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  /** Ends the host and all children. */
  async stop(): Promise<void> {
    for (const child of this.#children) await endChild(child, "SIGKILL");
    if (this.#up !== undefined) await endChild(this.#up, "SIGTERM");
    await this.#server?.stop();
    rmSync(this.directory, { recursive: true });
  }
}
