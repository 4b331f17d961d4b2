import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Row, Storage } from "@membus/plugin-kit";
import { scopeId } from "@membus/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { episodic, loadRows, makeRow, StorageFixture, scoped } from "./storage-fixture.js";

const fixture = new StorageFixture();
afterEach(() => fixture.end());

const alice = episodic("acme");
const rows = Array.from({ length: 20 }, (_, id) =>
  makeRow(id, {
    group: `group ${id}`,
    terms: id % 3 === 0 ? null : Uint32Array.of(id, id * 7),
    ...(id % 4 ? {} : { vector: null }),
  }),
);

async function stored(): Promise<string> {
  const directory = await fixture.directory();
  const storage = await fixture.open(directory);
  await storage.append(scoped(alice, ...rows));
  await storage.close();
  return directory;
}

async function dataFile(directory: string): Promise<string> {
  const data = join(directory, "table", "t_acme.lance", "data");
  const [name] = await readdir(data);
  return join(data, name!);
}

async function readAll(storage: Storage) {
  const loaded = await loadRows(storage, alice);
  const bodies = await storage.readBodies(
    scopeId(alice),
    rows.map(({ rowId }) => rowId),
  );
  return { loaded, bodies };
}

const FLIPPED: Readonly<Record<string, (row: Row) => Uint8Array>> = {
  "the hash of a key": ({ keyHash }) => Buffer.from(keyHash, "hex"),
  "a number": ({ revision }) => new Uint8Array(Float64Array.of(revision).buffer),
  "a component of a vector": ({ vector }) => new Uint8Array(vector!.buffer),
  facets: ({ facets }) => Buffer.from(facets),
  "a group": ({ group }) => Buffer.from(group),
  "a body": ({ body }) => Buffer.from(body),
};

describe("a row that is damaged on disk", () => {
  for (const [name, bytesOf] of Object.entries(FLIPPED)) {
    it(`(${name}) is an error, and counted`, async () => {
      const directory = await stored();
      const file = await dataFile(directory);
      const bytes = await readFile(file);
      const at = bytes.indexOf(bytesOf(rows[17]!));
      expect(at).toBeGreaterThan(0);
      bytes[at + 2]! ^= 0x04;
      await writeFile(file, bytes);
      const storage = await fixture.open(directory);
      await expect(readAll(storage)).rejects.toMatchObject({
        code: "runtime_error",
        message: expect.not.stringContaining(directory),
        detail: { reason: "row_damaged" },
      });
      expect(storage.stats()).toMatchObject({ damaged_reads: 1 });
    });
  }

  it("is never served with wrong contents, wherever its bytes are flipped", async () => {
    const directory = await stored();
    const file = await dataFile(directory);
    const bytes = await readFile(file);
    const whole = await readAll(await fixture.open(directory));
    const wrong: number[] = [];
    let failedCount = 0;
    for (let at = 0; at + 4 <= bytes.length; at += 61) {
      const copy = await fixture.copy(directory, () => true);
      const flipped = Buffer.from(bytes);
      for (let index = at; index < at + 4; index++) flipped[index]! ^= 0xa5;
      await writeFile(await dataFile(copy), flipped);
      const storage = await fixture.open(copy);
      const read = await readAll(storage).catch(() => undefined);
      failedCount += read === undefined ? 1 : 0;
      const missing = read === undefined ? 0 : rows.length - read.loaded.length;
      const isServed = read?.loaded.every((row) =>
        isSame(
          row,
          whole.loaded.find(({ rowId }) => rowId === row.rowId),
        ),
      );
      if (read !== undefined && !(isServed && missing === 0 && isSame([...read.bodies], [...whole.bodies])))
        wrong.push(at);
      await storage.close();
    }
    expect(failedCount).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });
});

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
