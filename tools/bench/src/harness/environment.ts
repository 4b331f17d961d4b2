import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { natsBusFromConnection } from "@membus/bus";
import { ensureNatsServer, launchNatsServer } from "@membus/nats-server";
import { systemClock } from "@membus/protocol";
import type { Bus, Logger } from "@membus/protocol/plugin";
import { connect, type NatsConnection } from "@nats-io/transport-node";

/** A nats-server, a connection to it, and started processes. `close` stops all of them. */
export interface BenchEnvironment {
  readonly url: string;
  readonly connection: NatsConnection;
  /** A bus on the same connection. Its requests use half the processor time of the connection's own. */
  readonly bus: Bus;
  readonly directory: string;
  /** Starts `membus up` in a separate process. Resolves when it serves. */
  startHost(options: HostStart): Promise<ChildProcess>;
  /** Starts another `membus` command in a separate process. Resolves with its first line of output. */
  startCommand(args: readonly string[]): Promise<string>;
  /** Starts a script of this package in a separate process. */
  startScript(script: string, args: readonly string[]): ChildProcess;
  end(child: ChildProcess): Promise<void>;
  /** Stops everything. Repeated calls have no further effect. */
  readonly close: () => Promise<void>;
}

export interface HostStart {
  /** Name of its data folder. A host restarted with the same name finds its entries. */
  readonly name: string;
  readonly args?: readonly string[];
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Receives the lines of its log. Default: they are printed. */
  readonly onLog?: (line: string) => void;
}

/** The installed program, as users start it. */
export const PROGRAM = fileURLToPath(new URL("../bin/membus.js", import.meta.resolve("membus")));

/** @param launch `configFile`: of the server, as for `launchNatsServer`. */
export async function openEnvironment(
  launch: { readonly configFile?: string } = {},
): Promise<BenchEnvironment> {
  const note = (line: string) => process.stderr.write(`${line}\n`);
  const explicitPath = process.env.MEMBUS_NATS_SERVER || undefined;
  const { path } = await ensureNatsServer({ explicitPath, env: process.env, onStep: note });
  const server = await launchNatsServer({ binary: path, ...launch });
  const connection = await connect({ servers: server.url });
  const bus = natsBusFromConnection(connection, {}, { logger: problemLogger(note), clock: systemClock });
  const directory = await mkdtemp(join(tmpdir(), "membus-bench-"));
  const children = new Set<ChildProcess>();
  let closing: Promise<void> | undefined;
  const start = (
    program: string,
    args: readonly string[],
    { env: settings = {}, onLog }: Pick<HostStart, "env" | "onLog"> = {},
  ) => {
    if (closing !== undefined) throw new Error("interrupted");
    const env = { ...process.env, ...settings, NATS_URL: server.url };
    const child = spawn(program, args, {
      env,
      stdio: ["ignore", "pipe", onLog === undefined ? "inherit" : "pipe"],
    });
    if (onLog !== undefined) createInterface(child.stderr!).on("line", onLog);
    children.add(child);
    return child;
  };
  const end = async (child: ChildProcess) => {
    children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
  };
  const closeAll = async () => {
    for (const child of children) await end(child);
    await bus.close();
    await connection.close();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
  return {
    url: server.url,
    connection,
    bus,
    directory,
    async startHost({ name, args = [], ...settings }) {
      const child = start(PROGRAM, ["up", "--data", join(directory, name), "--json", ...args], settings);
      await firstOutput(child);
      return child;
    },
    startCommand: (args) => firstOutput(start(PROGRAM, args)),
    startScript: (script, args) => start(process.execPath, [script, ...args]),
    end,
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}

/** Returns a logger that prints warnings and errors. */
function problemLogger(note: (line: string) => void): Logger {
  const logProblem = (_fields: object, message: string) => note(message);
  return { debug() {}, info() {}, warn: logProblem, error: logProblem };
}

/** Resolves with the first line that a process prints. */
export async function firstOutput(child: ChildProcess): Promise<string> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the process exited with code ${code} before it was ready`);
  });
  const [chunk] = (await Promise.race([once(child.stdout!, "data"), ended])) as [Buffer];
  ended.catch(() => undefined);
  return chunk.toString("utf8");
}
