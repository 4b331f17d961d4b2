import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { type CliResult, endChild, lineOf, runCli, spawnCli } from "./run-cli.js";

/** A nats-server and a `membus up` on a free port, with a temporary folder. */
export class RunningHost {
  readonly directory = mkdtempSync(join(tmpdir(), "membus-test-"));
  #server: NatsServer | undefined;
  #up: ChildProcessWithoutNullStreams | undefined;

  get url(): string {
    return this.#server!.url;
  }

  async start(): Promise<void> {
    this.#server = await launchNatsServer({ binary: NATS_SERVER });
    await this.#startUp();
  }

  /** Kills the host with SIGKILL and starts another one on the same data. */
  async restart(flags: readonly string[] = []): Promise<void> {
    await endChild(this.#up!, "SIGKILL");
    await this.#startUp(flags);
  }

  get data(): string {
    return join(this.directory, "data");
  }

  /** Kills only the host, with SIGKILL. */
  async kill(): Promise<void> {
    await endChild(this.#up!, "SIGKILL");
  }

  async #startUp(flags: readonly string[] = []): Promise<void> {
    this.#up = spawnCli(["up", "--data", this.data, ...flags], {
      url: this.url,
      cwd: this.directory,
    });
    await lineOf(this.#up, /^membus is listening on/);
  }

  /** Runs `membus <args>` against this host. */
  cli(args: readonly string[], input?: string): Promise<CliResult> {
    return runCli(args, { url: this.url, cwd: this.directory, ...(input !== undefined && { input }) });
  }

  spawn(args: readonly string[]): ChildProcessWithoutNullStreams {
    return spawnCli(args, { url: this.url, cwd: this.directory });
  }

  /** Returns the output of a command with `--json`, which must succeed. */
  async json<T = Record<string, unknown>>(args: readonly string[], input?: string): Promise<T> {
    const { code, stdout, stderr } = await this.cli([...args, "--json"], input);
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  async stop(): Promise<void> {
    if (this.#up !== undefined) await endChild(this.#up, "SIGTERM");
    await this.#server?.stop();
    rmSync(this.directory, { recursive: true });
  }
}
