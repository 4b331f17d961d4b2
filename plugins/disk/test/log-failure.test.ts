import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type LogFile, type OpenLogFile, openLogFile, writeAndSync } from "../src/log/log-file.js";
import {
  append,
  appendEach,
  contents,
  openLog,
  recordingLogger,
  reopened,
  segmentNames,
  temporaryDirectory,
} from "./log-fixture.js";

const FIRST = "00000000000000000001.log";

type Operation = "open" | "write" | "sync" | "truncate";

/** Real files that fail on request: a write fails after half of its bytes. */
class FaultyDisk {
  readonly #planned: { operation: Operation; code: string; reached: () => void }[] = [];

  /** Makes the next call of `operation` fail with `code`. Resolves when it is running. */
  fail(operation: Operation, code: string): Promise<void> {
    return new Promise((reached) => {
      this.#planned.push({ operation, code, reached });
    });
  }

  readonly openFile: OpenLogFile = async (path, flags) => {
    if (flags !== "r") await this.#check("open");
    const file = await openLogFile(path, flags);
    const write = async (bytes: Uint8Array, position: number): Promise<void> => {
      if (this.#isPlanned("write")) await file.write(bytes.subarray(0, bytes.length / 2), position);
      await this.#check("write");
      await file.write(bytes, position);
    };
    return this.#wrap(file, write);
  };

  #wrap(file: LogFile, write: LogFile["write"]): LogFile {
    const checked = async (operation: Operation, run: () => Promise<void>): Promise<void> => {
      await this.#check(operation);
      await run();
    };
    const sync = (): Promise<void> => checked("sync", () => file.sync());
    return {
      ...{ write, sync },
      writeDurably: (bytes, position) => writeAndSync({ write, sync }, bytes, position),
      read: (into, position) => file.read(into, position),
      truncate: (sizeBytes) => checked("truncate", () => file.truncate(sizeBytes)),
      size: () => file.size(),
      close: () => file.close(),
    };
  }

  #isPlanned(operation: Operation): boolean {
    return this.#planned[0]?.operation === operation;
  }

  async #check(operation: Operation): Promise<void> {
    if (!this.#isPlanned(operation)) return;
    const { code, reached } = this.#planned.shift()!;
    reached();
    await setImmediate();
    throw Object.assign(new Error(`${code}: planned`), { code });
  }
}

/** Creates a log with the records 1 and 2 on a disk that can be made to fail. */
async function faultyLog() {
  const directory = await temporaryDirectory();
  const disk = new FaultyDisk();
  const logger = recordingLogger();
  const log = await openLog(directory, { openFile: disk.openFile, logger });
  await appendEach(log, ["one", "two"]);
  return { directory, disk, log, logger, path: join(directory, FIRST) };
}

function outcome(appended: Promise<number>): Promise<string> {
  return appended.then(
    (seq) => `stored ${seq}`,
    (error: { code: string }) => error.code,
  );
}

describe("a failed write", () => {
  it.each([
    ["write", "ENOSPC"],
    ["sync", "EIO"],
  ] as const)(
    "at %s rejects all records that are not durable, and the log continues",
    async (operation, code) => {
      const { directory, disk, log, logger, path } = await faultyLog();
      void disk.fail(operation, code);
      const lost = [append(log, "lost"), append(log, "lost too")];
      const error = { code: "unavailable", detail: { reason: code }, cause: { code } };
      await Promise.all(lost.map((appended) => expect(appended).rejects.toMatchObject(error)));
      expect(logger.warnings).toEqual([
        {
          fields: { err: expect.objectContaining({ code }), firstLostSeq: 3 },
          message: "a write to the log failed, undoing it",
        },
      ]);
      expect((await stat(path)).size).toBe(36 + 23 + 23);
      expect(log.stats).toMatchObject({ nextSeq: 3, queuedCount: 0, queuedBytes: 0, failed: false });
      expect(await append(log, "three")).toBe(3);
      await log.close();
      expect(await reopened(directory)).toEqual(["1:one", "2:two", "3:three"]);
    },
  );

  it("reports lost records before it rejects them, and reuses their numbers immediately", async () => {
    const { disk, log } = await faultyLog();
    const events: string[] = [];
    log.onRollback((firstLostSeq) => {
      events.push(`rollback ${firstLostSeq}, next ${log.nextSeq}`);
    });
    const stop = log.onRollback(() => events.push("removed"));
    stop();
    void disk.fail("sync", "EIO");
    const lost = ["a", "b"].map((text) => append(log, text).catch(() => events.push(`rejected ${text}`)));
    await Promise.all(lost);
    expect(events).toEqual(["rollback 3, next 3", "rejected a", "rejected b"]);
  });

  it("also rejects later appends, but not appends after the rollback", async () => {
    const { directory, disk, log } = await faultyLog();
    const reached = disk.fail("sync", "EIO");
    let later: Promise<string> | undefined;
    log.onRollback(() => {
      later = outcome(append(log, "later"));
    });
    const first = outcome(append(log, "first"));
    await reached;
    const between = outcome(append(log, "between"));
    expect(await Promise.all([first, between])).toEqual(["unavailable", "unavailable"]);
    expect(await later).toBe("stored 3");
    await log.close();
    expect(await reopened(directory)).toEqual(["1:one", "2:two", "3:later"]);
  });

  it("may happen repeatedly", async () => {
    const { log, disk } = await faultyLog();
    for (let n = 0; n < 5; n++) {
      void disk.fail("write", "ENOSPC");
      expect(await outcome(append(log, "lost"))).toBe("unavailable");
    }
    expect(await contents(log)).toEqual(["1:one", "2:two"]);
    expect(await outcome(append(log, "three"))).toBe("stored 3");
  });
});

describe("a failed write that cannot be undone", () => {
  it("is undone once that is possible, and the log continues without a restart", async () => {
    const { directory, disk, log } = await faultyLog();
    void disk.fail("write", "EIO");
    void disk.fail("truncate", "EIO");
    expect(await outcome(append(log, "lost"))).toBe("unavailable");
    void disk.fail("open", "EIO");
    await log.probe();
    expect(log.stats.failed).toBe(true);
    await log.probe();
    expect(log.stats.failed).toBe(false);
    expect(await append(log, "three")).toBe(3);
    await log.close();
    expect(await reopened(directory)).toEqual(["1:one", "2:two", "3:three"]);
  });

  it.each(["truncate", "sync"] as const)("because of %s fails the log", async (undoing) => {
    const { directory, disk, log } = await faultyLog();
    void disk.fail("write", "EIO");
    void disk.fail(undoing, "EIO");
    let later: Promise<string> | undefined;
    log.onRollback(() => {
      later ??= outcome(append(log, "later"));
    });
    expect(await outcome(append(log, "lost"))).toBe("unavailable");
    expect(await later).toBe("unavailable");
    await expect(append(log, "refused")).rejects.toMatchObject({
      code: "unavailable",
      detail: { reason: "log_failed" },
    });
    await expect(log.rotate()).rejects.toMatchObject({ detail: { reason: "log_failed" } });
    expect(log.stats).toMatchObject({ failed: true, nextSeq: 3 });
    expect(await contents(log)).toEqual(["1:one", "2:two"]);
    await log.close();
    expect(await reopened(directory)).toEqual(["1:one", "2:two"]);
  });
});

describe("a log in a folder that is moved away", () => {
  it("reports it, and continues when it is back", async () => {
    const { directory, log } = await faultyLog();
    await rename(directory, `${directory}-away`);
    await log.probe();
    expect(log.stats.failed).toBe(true);
    await expect(append(log, "refused")).rejects.toMatchObject({
      message: expect.stringContaining("ENOENT"),
      detail: { reason: "log_failed", retry_after_ms: 1_000 },
      retryable: true,
    });
    await rename(`${directory}-away`, directory);
    await log.probe();
    expect(await append(log, "three")).toBe(3);
  });

  it("does not continue with another file in its place", async () => {
    const { directory, log, path } = await faultyLog();
    const whole = await readFile(path);
    for (const other of [whole.subarray(0, -1), Buffer.alloc(whole.length)]) {
      await writeFile(path, other);
      await log.probe();
      expect(log.stats.failed).toBe(true);
    }
    await writeFile(path, whole);
    await log.probe();
    expect(log.stats.failed).toBe(false);
    await log.close();
    expect(await reopened(directory)).toEqual(["1:one", "2:two"]);
  });
});

describe("a segment that cannot be created", () => {
  it.each(["open", "write"] as const)("at %s leaves the log with the previous one", async (operation) => {
    const { directory, disk, log } = await faultyLog();
    void disk.fail(operation, "ENOSPC");
    await expect(log.rotate()).rejects.toMatchObject({ code: "unavailable", detail: { reason: "ENOSPC" } });
    expect(await segmentNames(directory)).toEqual([FIRST]);
    expect(await append(log, "three")).toBe(3);
    await log.rotate();
    expect(await append(log, "four")).toBe(4);
    await log.close();
    expect(await reopened(directory)).toEqual(["1:one", "2:two", "3:three", "4:four"]);
  });

  it("fails the append that needs it", async () => {
    const directory = await temporaryDirectory();
    const disk = new FaultyDisk();
    const log = await openLog(directory, { openFile: disk.openFile, segmentBytes: 4096 });
    await append(log, "x".repeat(5000));
    void disk.fail("open", "EMFILE");
    await expect(append(log, "lost")).rejects.toMatchObject({ detail: { reason: "EMFILE" } });
    expect(await append(log, "two")).toBe(2);
    expect(await segmentNames(directory)).toEqual([FIRST, "00000000000000000002.log"]);
  });
});

describe("sync", () => {
  it("makes a log of process durability durable, and reports its failure", async () => {
    const directory = await temporaryDirectory();
    const disk = new FaultyDisk();
    const log = await openLog(directory, { openFile: disk.openFile, durability: "process" });
    await append(log, "one");
    void disk.fail("sync", "EIO");
    await expect(log.sync()).rejects.toMatchObject({ code: "unavailable", detail: { reason: "EIO" } });
    await log.sync();
    expect(await contents(log)).toEqual(["1:one"]);
  });
});

describe("opening", () => {
  it("reports unreadable files", async () => {
    const directory = await temporaryDirectory();
    await openLog(directory).then((log) => log.close());
    const disk = new FaultyDisk();
    void disk.fail("open", "EACCES");
    await expect(openLog(directory, { openFile: disk.openFile })).rejects.toMatchObject({
      code: "unavailable",
      detail: { reason: "EACCES" },
    });
  });
});
