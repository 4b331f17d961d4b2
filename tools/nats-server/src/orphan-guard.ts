import { spawn } from "node:child_process";
import type { Socket } from "node:net";

/**
 * Kills `pid` when this process ends, even by SIGKILL. A shell waits on a pipe that this process holds open,
 * and acts when it closes. Without `/bin/sh` (Windows) there is no guard.
 *
 * @returns a function that ends the guard without killing `pid`.
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
