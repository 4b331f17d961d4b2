import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Clock, systemClock } from "@membus/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DirectoryLock, lockDirectory } from "../src/directory/directory-lock.js";
import { startHeartbeat } from "../src/directory/heartbeat.js";
import { currentHolder, isAlive } from "../src/directory/lock-holder.js";

const SCRIPT = fileURLToPath(new URL("lock-child.ts", import.meta.url));
const clock = systemClock;
const children: ChildProcess[] = [];
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "membus-lock-"));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(directory, { recursive: true, force: true });
});

async function startChild(): Promise<ChildProcess> {
  const child = fork(SCRIPT, { execArgv: ["--conditions=membus-source", "--import", "tsx"] });
  children.push(child);
  await once(child, "message");
  return child;
}

/** Returns whether the child has the lock of `path`. An empty path makes it release its lock. */
async function requestLock(child: ChildProcess, path: string): Promise<boolean> {
  const answer = once(child, "message");
  child.send(path);
  return (await answer)[0] as boolean;
}

/** Leaves the files of a killed holder, without a listener. */
async function leaveDeadLock(at: string, pid: number, changes: object = {}): Promise<void> {
  await mkdir(join(at, "lock"));
  const holder = { pid, host: hostname(), boot: "", startedAt: "2020-01-01T00:00:00.000Z", hasSocket: true };
  await writeFile(join(at, "lock", "dead0000.json"), JSON.stringify({ ...holder, ...changes }));
}

describe("a directory lock", () => {
  it("refuses a second owner and names the first", async () => {
    const lock = await lockDirectory(directory, { clock });
    await expect(lockDirectory(directory, { clock })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(`locked by process ${process.pid} on ${hostname()} since 20`),
      detail: { pid: process.pid, host: hostname() },
    });
    await lock.release();
  });

  it("can be taken after its release, and leaves no files", async () => {
    for (let round = 0; round < 3; round++) await (await lockDirectory(directory, { clock })).release();
    expect(await readdir(directory)).toEqual([]);
  });

  it("leaves no files when it is refused", async () => {
    const lock = await lockDirectory(directory, { clock });
    await lockDirectory(directory, { clock }).catch(() => undefined);
    expect(await readdir(directory)).toEqual(["lock"]);
    await lock.release();
  });

  it("removes the drafts of processes that were killed before they got it, and nothing else", async () => {
    const longAgo = new Date("2020-01-01");
    for (const name of ["lock.aaaaaaaa", "lock.bbbbbbbb", "locked"]) await mkdir(join(directory, name));
    await writeFile(join(directory, "lock.aaaaaaaa", "aaaaaaaa"), "");
    for (const name of ["lock.aaaaaaaa", "locked"]) await utimes(join(directory, name), longAgo, longAgo);
    const lock = await lockDirectory(directory, { clock });
    expect((await readdir(directory)).sort()).toEqual(["lock", "lock.bbbbbbbb", "locked"]);
    await lock.release();
  });

  it("works in a directory with a path too long for a socket", async () => {
    const deep = join(directory, "a".repeat(100), "b".repeat(100));
    await mkdir(deep, { recursive: true });
    const lock = await lockDirectory(deep, { clock });
    expect(await readdir(join(deep, "lock"))).toHaveLength(2);
    await expect(lockDirectory(deep, { clock })).rejects.toMatchObject({ code: "conflict" });
    await lock.release();
  });

  it("is one lock under all names of a directory", async () => {
    await mkdir(join(directory, "real"));
    await symlink(join(directory, "real"), join(directory, "link"));
    const lock = await lockDirectory(join(directory, "real"), { clock });
    await expect(lockDirectory(join(directory, "link"), { clock })).rejects.toMatchObject({
      code: "conflict",
    });
    await lock.release();
  });
});

describe("the lock of a dead process", () => {
  it("is free immediately", async () => {
    const child = await startChild();
    expect(await requestLock(child, directory)).toBe(true);
    await expect(lockDirectory(directory, { clock })).rejects.toMatchObject({ detail: { pid: child.pid } });
    child.kill("SIGKILL");
    await once(child, "exit");
    await (await lockDirectory(directory, { clock })).release();
  });

  it("is free even if its process id is in use again", async () => {
    await leaveDeadLock(directory, process.pid);
    await (await lockDirectory(directory, { clock })).release();
  });

  it("is free if only its socket is left", async () => {
    await mkdir(join(directory, "lock"));
    await writeFile(join(directory, "lock", "dead0000"), "");
    await (await lockDirectory(directory, { clock })).release();
  });

  it.each(["", "{", "null", "\u0000"])(
    "is free if its file contains %j, unless its socket answers",
    async (text) => {
      const locked = await lockDirectory(directory, { clock });
      const lock = join(directory, "lock");
      const name = (await readdir(lock)).find((file) => file.endsWith(".json"))!;
      await writeFile(join(lock, name), text);
      await expect(lockDirectory(directory, { clock })).rejects.toMatchObject({ code: "conflict" });
      await locked.release();
      await mkdir(lock);
      await writeFile(join(lock, "dead0000.json"), text);
      await (await lockDirectory(directory, { clock })).release();
    },
  );

  it("is checked by process id without sockets", async () => {
    await leaveDeadLock(directory, process.pid, { hasSocket: false });
    await expect(lockDirectory(directory, { clock })).rejects.toMatchObject({ code: "conflict" });
    await rm(join(directory, "lock"), { recursive: true });
    await leaveDeadLock(directory, 2 ** 22 + 1, { hasSocket: false });
    await (await lockDirectory(directory, { clock })).release();
  });

  it.runIf(process.platform === "linux")(
    "is free without sockets if its process id belongs to another process (needs start times, Linux only)",
    async () => {
      const own = currentHolder(clock, false);
      const former = [
        { ...own, began: "never" },
        { ...own, pid: 1, began: "never" },
      ];
      for (const holder of former) {
        await leaveDeadLock(directory, holder.pid, holder);
        await (await lockDirectory(directory, { clock })).release();
      }
      for (const holder of [own, { ...own, host: "elsewhere", pidSpace: "pid:[1]" }]) {
        await leaveDeadLock(directory, process.pid, holder);
        await expect(lockDirectory(directory, { clock })).rejects.toMatchObject({ code: "conflict" });
        await rm(join(directory, "lock"), { recursive: true });
      }
    },
  );

  it.runIf(process.platform === "linux")(
    "is free without sockets if its holder had other process ids and has no heartbeat (Linux only)",
    async () => {
      const files = { path: join(directory, "holder.json"), socketPath: join(directory, "none") };
      await writeFile(files.path, "{}");
      const hurried: Clock = {
        now: clock.now,
        after: (ms, run, options) => clock.after(ms / 20, run, options),
      };
      const own = currentHolder(clock, false);
      for (const former of [
        { ...own, boot: "another" },
        { ...own, pid: 1, pidSpace: "pid:[1]" },
      ]) {
        expect(await isAlive(former, files, hurried)).toBe(false);
        const stopHeartbeat = startHeartbeat(files.path, hurried);
        expect(await isAlive(former, files, hurried)).toBe(true);
        stopHeartbeat();
      }
    },
  );

  it.runIf(process.platform === "linux")(
    "is not taken from another machine, because its process may be alive (Linux only)",
    async () => {
      await leaveDeadLock(directory, 1, { host: "elsewhere", boot: "another" });
      const refusal = {
        code: "conflict",
        message: expect.stringContaining("If that machine or container no longer exists, remove"),
      };
      await expect(lockDirectory(directory, { clock })).rejects.toMatchObject(refusal);
    },
  );
});

describe("two processes that lock at once", () => {
  it("leave one winner each time, whatever the previous holder left", async () => {
    const [first, second] = [await startChild(), await startChild()];
    for (let round = 0; round < 20; round++) {
      if (round % 2 === 0) await leaveDeadLock(directory, process.pid);
      const won = await Promise.all([requestLock(first, directory), requestLock(second, directory)]);
      expect(won.filter(Boolean)).toHaveLength(1);
      await Promise.all([requestLock(first, ""), requestLock(second, "")]);
    }
  });

  it("leave one winner of many in one process", async () => {
    await leaveDeadLock(directory, process.pid);
    const tries = Array.from({ length: 20 }, () => lockDirectory(directory, { clock }));
    const won = (await Promise.allSettled(tries)).filter(
      (result): result is PromiseFulfilledResult<DirectoryLock> => result.status === "fulfilled",
    );
    expect(won).toHaveLength(1);
    await won[0]!.value.release();
    expect(await readdir(directory)).toEqual([]);
  });
});
