import { spawn } from "node:child_process";
import type { Socket } from "node:net";

/**
 * Kills `pid` when this process ends for whatever reason, SIGKILL included: a shell waits on a pipe that only we
 * hold open, and its end is the sign. Where there is no `/bin/sh` (Windows) nothing guards.
 * @returns a function that ends the guard and leaves `pid` alone.
 */
export function guardOrphan(pid: number): () => void {
  const guard = spawn("/bin/sh", ["-c", 'read -r _; kill -9 "$0"', String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.on("error", () => {});
  guard.unref();
  (guard.stdin as Socket).unref();
  return () => void guard.kill("SIGKILL");
}
