import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { ENVIRONMENT } from "../src/config/environment.js";

/** The program as users run it. `npm test` builds it first. */
const MEMBUS = fileURLToPath(new URL("../bin/membus.js", import.meta.url));

export interface CliOptions {
  /** Value of NATS_URL. */
  readonly url?: string;
  /** Text for standard input. */
  readonly input?: string;
  /** Working directory, and folder of temporary files. */
  readonly cwd: string;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Wraps the command, for example in a container. */
  readonly wrap?: (command: readonly string[]) => readonly string[];
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `membus <args>` with the nats-server of the tests, without other settings of the environment. */
export function spawnCli(
  args: readonly string[],
  { url, input, cwd, env: given, wrap = (command) => command }: CliOptions,
): ChildProcessWithoutNullStreams {
  const settings = new Set(Object.keys(ENVIRONMENT));
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !settings.has(name)));
  const [program, ...rest] = wrap([MEMBUS, ...args]);
  const child = spawn(program!, rest, {
    env: { ...env, MEMBUS_NATS_SERVER: NATS_SERVER, TMPDIR: cwd, ...(url && { NATS_URL: url }), ...given },
    cwd,
  });
  if (input !== undefined) child.stdin.end(input);
  return child;
}

/** Runs `membus <args>` until it exits. */
export function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  return resultOf(spawnCli(args, options));
}

/**
 * Runs a program of the repository from its source until it exits.
 * @param directory of temporary files.
 * @param runner command and first arguments. The command line of the program is added to them.
 */
export function runSource(
  program: URL,
  args: readonly string[],
  directory: string,
  runner: readonly string[] = [],
): Promise<CliResult> {
  const node = ["--conditions", "membus-source", "--import", "tsx", fileURLToPath(program), ...args];
  const [command, ...rest] = [...runner, process.execPath, ...node] as [string, ...string[]];
  const env = { ...process.env, MEMBUS_NATS_SERVER: NATS_SERVER, TMPDIR: directory };
  return resultOf(spawn(command, rest, { env }));
}

export async function resultOf(child: ChildProcessWithoutNullStreams): Promise<CliResult> {
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    stderr += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

/** Longer than any line takes on a busy machine. */
const LINE_WAIT_MS = 120_000;

/** Resolves when the child has written a matching line. Rejects if it exits first, or after two minutes. */
export function lineOf(child: ChildProcessWithoutNullStreams, pattern: RegExp): Promise<string> {
  let written = "";
  return new Promise((resolve, reject) => {
    const look = (chunk: Buffer) => {
      written += chunk;
      const line = written.split("\n").find((candidate) => pattern.test(candidate));
      if (line !== undefined) resolve(line);
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.once("close", () => reject(new Error(`ended without ${pattern}: ${written}`)));
    const timer = setTimeout(() => reject(new Error(`no ${pattern} in ${written}`)), LINE_WAIT_MS);
    timer.unref();
  });
}

/** Sends a signal to a child and waits for its exit. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  child.kill(signal);
  const [code] = (await once(child, "close")) as [number | null];
  return code;
}
