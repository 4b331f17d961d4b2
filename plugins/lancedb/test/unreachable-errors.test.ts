import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connect, type Table } from "@lancedb/lancedb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isUnreachable } from "../src/store/unreachable.js";
import { FakeS3 } from "./s3/fake-s3.js";
import { StorageFixture } from "./storage-fixture.js";

const CHILD = fileURLToPath(new URL("open-files-child.ts", import.meta.url));
const fixture = new StorageFixture();
afterAll(() => fixture.end());

const errorOf = (code: string) => Object.assign(new Error(`${code}: it failed`), { code });
const failureOf = (task: Promise<unknown>): Promise<unknown> =>
  task.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("of the file system", () => {
  it.each(["EMFILE", "ENFILE", "ENOMEM", "ESTALE", "ENOTCONN", "ETIMEDOUT", "ENXIO"])(
    "%s says nothing about a table",
    (code) => {
      expect(isUnreachable(errorOf(code))).toBe(true);
      expect(isUnreachable(new Error("could not open it", { cause: errorOf(code) }))).toBe(true);
    },
  );

  it.each(["EIO", "ENOENT", "ENOTDIR", "EACCES", "EISDIR", "ENOSPC"])("%s is another failure", (code) => {
    expect(isUnreachable(errorOf(code))).toBe(false);
  });

  it("without free file handles damages no table, and the rows are written once there are some", async () => {
    const command = `ulimit -n 256; exec "$0" --conditions=membus-source --import tsx "$1" "$2"`;
    const args = ["-c", command, process.execPath, CHILD, await fixture.directory()];
    const { stdout } = await promisify(execFile)("bash", args);
    const failure = '{"reason":"storage_unreachable","retry_after_ms":1000}';
    expect(stdout.trim().split("\n")).toEqual([
      `[${failure},${failure}]`,
      "damaged 0, files t_acme.lance",
      "rows 1,2,3",
    ]);
  });

  it("is found in a message of LanceDB", () => {
    const text = (reason: string) => `lance error: LanceError(IO): Generic LocalFileSystem error: ${reason}`;
    expect(isUnreachable(new Error(text("Too many open files (os error 24)")))).toBe(true);
    expect(isUnreachable(new Error(text("Stale file handle (os error 116)")))).toBe(true);
    expect(isUnreachable(new Error(text("Input/output error (os error 5)")))).toBe(false);
    expect(isUnreachable(new Error(text("Not a directory (os error 20)")))).toBe(false);
  });
});

describe("of LanceDB on an object store", () => {
  let s3: FakeS3;
  let table: Table;
  beforeAll(async () => {
    s3 = await FakeS3.start();
    const storageOptions = { ...s3.storageOptions, client_max_retries: "1", client_retry_timeout: "2" };
    const db = await connect("s3://bucket/tables", { storageOptions });
    table = await db.createTable("t", [{ id: 1 }]);
  });
  afterAll(() => s3.stop());

  it.each([500, 503, "cut"] as const)(
    "an answer of %s to every try says nothing about a table",
    async (answer) => {
      s3.fail({ matches: () => true, afterEffect: false, answer, isLasting: true });
      expect(isUnreachable(await failureOf(table.add([{ id: 2 }])))).toBe(true);
      s3.heal();
    },
  );

  it("a missing object and a manifest of other bytes are damage", async () => {
    const { store } = s3;
    for (const key of store.keys.filter((name) => name.includes("/data/"))) store.delete(key);
    const missing = await failureOf(table.query().toArray());
    expect(missing).toBeInstanceOf(Error);
    expect(isUnreachable(missing)).toBe(false);
    for (const key of store.keys.filter((name) => name.includes("/_versions/")))
      store.put(key, Buffer.from("nothing"), {});
    const damaged = await failureOf(table.checkoutLatest());
    expect(damaged).toBeInstanceOf(Error);
    expect(isUnreachable(damaged)).toBe(false);
  });

  it("a refused connection says nothing about a table", async () => {
    await s3.stop();
    expect(isUnreachable(await failureOf(table.add([{ id: 3 }])))).toBe(true);
  });
});
