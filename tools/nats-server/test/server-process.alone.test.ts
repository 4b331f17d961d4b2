import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, vi } from "vitest";
import { supervise } from "../src/server-process.js";

const release = vi.hoisted(() => vi.fn());
vi.mock("../src/orphan-guard.js", () => ({ guardOrphan: () => release }));

it("releases the guard of an ended process before its output ends", async () => {
  // The remaining child process keeps the output open.
  const child = spawn("/bin/sh", ["-c", "sleep 60 >&2 & echo $! >&2; read -r _"], { stdio: "pipe" });
  let isClosed = false;
  const server = supervise(child);
  void server.exited.then(() => {
    isClosed = true;
  });
  await expect.poll(() => server.lastLog).toMatch(/^\d+$/);
  expect(release).not.toHaveBeenCalled();
  child.stdin.end();
  await once(child, "exit");
  expect([release.mock.calls.length, isClosed]).toEqual([1, false]);
  process.kill(Number(server.lastLog), "SIGKILL");
  await server.exited;
  expect(release).toHaveBeenCalledTimes(1);
});
