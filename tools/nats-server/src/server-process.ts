import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Clock } from "@membus/protocol";
import { guardOrphan } from "./orphan-guard.js";
import { lastLines } from "./run-command.js";

export interface ServerExit {
  /** Null when a signal ended it, or when it could not be started. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServerProcess {
  /** Undefined when the program could not be started. */
  readonly pid: number | undefined;
  readonly exited: Promise<ServerExit>;
  readonly running: boolean;
  /** The end of its log, in one line. */
  readonly lastLog: string;
  /** Does nothing when it has ended. */
  signal(name: NodeJS.Signals): void;
}

const LOG_CHARS_KEPT = 4096;

/** Starts `binary` in its own process group: Ctrl-C in a terminal reaches the caller, who then stops it in order. */
export function spawnServer(binary: string, args: readonly string[]): ServerProcess {
  return supervise(spawn(binary, args, { stdio: ["ignore", "ignore", "pipe"], detached: true }));
}

/** Keeps the end of what a child writes to standard error, and sees to it that the child ends with this process. */
export function supervise(child: ChildProcess & { readonly stderr: Readable }): ServerProcess {
  const releaseGuard = child.pid === undefined ? () => {} : guardOrphan(child.pid);
  // Not when its output ends, perhaps much later: its process id may be another's by then.
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

/** SIGTERM; SIGKILL if it has not ended within `timeoutMs`. Resolves when it has ended. */
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

/** SIGKILL. Resolves when it has ended. */
export async function killProcess(server: ServerProcess): Promise<ServerExit> {
  server.signal("SIGKILL");
  return server.exited;
}
