import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type ServerProcess, supervise } from "@membus/nats-server";
import { MemoryError } from "@membus/protocol";

/** This program once more, as a child that reads and writes lines. */
export interface LineProcess extends ServerProcess {
  writeLine(line: string): void;
  /** Lines that come while nobody listens are lost. */
  onLine(listener: (line: string) => void): void;
}

export interface LineProcessOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Once aborted, the child is killed. */
  readonly signal: AbortSignal;
}

/** In a process group of its own: Ctrl-C reaches us alone, and we end it. It ends with us, however we end. */
export function startLineProcess(args: readonly string[], options: LineProcessOptions): LineProcess {
  const command = [...process.execArgv, process.argv[1]!, ...args];
  const child = spawn(process.execPath, command, {
    ...options,
    killSignal: "SIGKILL",
    stdio: "pipe",
    detached: true,
  });
  const lines = createInterface({ input: child.stdout });
  // What is written to a process that has just died is lost, like what it had not yet read.
  child.stdin.on("error", () => {});
  return Object.assign(supervise(child), {
    writeLine: (line: string) => void child.stdin.write(`${line}\n`),
    onLine: (listener: (line: string) => void) => void lines.on("line", listener),
  });
}

/** @throws {MemoryError} `unavailable` when it ends before it writes a line, with the end of its log. */
export async function firstLine(name: string, process: LineProcess): Promise<string> {
  const line = new Promise<string>((resolve) => process.onLine(resolve));
  const ended = process.exited.then(() => undefined);
  const first = await Promise.race([line, ended]);
  if (first !== undefined) return first;
  throw new MemoryError("unavailable", `${name} ended: ${process.lastLog || "it said nothing"}`);
}
