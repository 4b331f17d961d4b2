import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Clock } from "@membus/protocol";
import { guardOrphan } from "./orphan-guard.js";
import { lastLines } from "./run-command.js";

export interface ServerExit {
  /** Null if a signal ended the server, or if it could not be started. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServerProcess {
  /** Undefined if the program could not be started. */
  readonly pid: number | undefined;
  readonly exited: Promise<ServerExit>;
  readonly running: boolean;
  /** End of the log, in one line. */
  readonly lastLog: string;
  /** Sends a signal. Does nothing after the process has ended. */
  signal(name: NodeJS.Signals): void;
}

const LOG_CHARS_KEPT = 4096;

/**
 * Starts `binary` in its own process group, so that Ctrl-C in a terminal reaches only the caller, which then
 * stops the server.
 */
export function spawnServer(binary: string, args: readonly string[]): ServerProcess {
  return supervise(spawn(binary, args, { stdio: ["ignore", "ignore", "pipe"], detached: true }));
}

/** Keeps the end of a child's standard error, and ends the child when this process ends. */
export function supervise(child: ChildProcess & { readonly stderr: Readable }): ServerProcess {
  const releaseGuard = child.pid === undefined ? () => {} : guardOrphan(child.pid);
  // Release the guard on exit, not on close. Output may end much later, when another process may have the
  // same id.
  child.once("exit", releaseGuard);
  let log = "";
  let running = true;
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    log = (log + chunk).slice(-LOG_CHARS_KEPT);
  });
  const exited = new Promise<ServerExit>((resolve) => {
    const end = (code: number | null, signal: NodeJS.Signals | null) => {
      running = false;
      resolve({ code, signal });
    };
    child.once("close", end);
    child.once("error", (error) => {
      log = error.message;
      if (child.pid === undefined) end(null, null);
    });
  });
  return {
    pid: child.pid,
    exited,
    get running() {
      return running;
    },
    get lastLog() {
      return lastLines(log);
    },
    signal: (name) => void child.kill(name),
  };
}

/** Stops a process with SIGTERM, and with SIGKILL after `timeoutMs`. Resolves when it has ended. */
export async function stopProcess(
  server: ServerProcess,
  timeoutMs: number,
  clock: Clock,
): Promise<ServerExit> {
  server.signal("SIGTERM");
  const cancelKill = clock.after(timeoutMs, () => server.signal("SIGKILL"));
  const exit = await server.exited;
  cancelKill();
  return exit;
}

/** Stops a process with SIGKILL. Resolves when it has ended. */
export async function killProcess(server: ServerProcess): Promise<ServerExit> {
  server.signal("SIGKILL");
  return server.exited;
}
