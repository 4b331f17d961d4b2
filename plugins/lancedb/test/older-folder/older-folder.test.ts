import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { KitPlugin } from "@membus/plugin-kit";
import { systemClock } from "@membus/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { calls } from "../../../kit/test/kit-calls.js";
import { createLanceDbPlugin } from "../../src/index.js";
import { lancedb } from "../../src/lancedb.js";
import type { Warning } from "../folder-fixture.js";
import { listFiles, StorageFixture } from "../storage-fixture.js";
import { ARCHIVE, openTier, VERSION } from "./older-folder.js";

const fixture = new StorageFixture();
let folder: string;
let plugin: KitPlugin | undefined;

beforeEach(async () => {
  folder = await fixture.directory();
  await promisify(execFile)("tar", ["-xzf", ARCHIVE, "-C", folder]);
});

afterEach(async () => {
  await close();
  await fixture.end();
});

async function close(): Promise<void> {
  await plugin?.close();
  plugin = undefined;
}

async function reopen(warnings: Warning[] = []): Promise<KitPlugin> {
  await close();
  plugin = await openTier(folder, {}, { warnings });
  return plugin;
}

const as = (of: KitPlugin, tenant: string) => calls({ plugin: of, clock: systemClock }, { tenant });

/** Returns the contents of a tenant's entries by key. */
async function contentsOf(of: KitPlugin, tenant: string): Promise<Map<string, unknown>> {
  const { entries, total } = await as(of, tenant).retrieve({ limit: 10_000 });
  expect(entries).toHaveLength(total);
  return new Map(entries.map(({ key, content }) => [(key as { name: string }).name, content]));
}

async function problems(): Promise<readonly string[]> {
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  return (await createLanceDbPlugin().verify({ directory: folder, tier: "episodic", logger }))!.problems;
}

async function indexTypes(): Promise<readonly string[]> {
  const connection = await lancedb().connect(join(folder, "table"));
  const indexes = await (await connection.openTable("t_acme")).listIndices();
  return indexes.map(({ name, indexType }) => `${name} ${indexType}`).sort();
}

describe(`a folder that LanceDB ${VERSION} wrote`, () => {
  it("is opened with all its entries, and without warnings", async () => {
    const warnings: Warning[] = [];
    const opened = await reopen(warnings);
    const acme = await contentsOf(opened, "acme");
    expect(acme.size).toBe(2_070);
    const contents = ["0-0", "0-1", "2-688", "later"].map((key) => acme.get(key));
    expect(contents).toEqual(["part0 n0", "later", "part2 n688", "later"]);
    const bravo = [...(await contentsOf(opened, "bravo")).keys()].sort();
    expect(bravo).toEqual(["k0", "k2", "logged"]);
    expect(warnings).toEqual([]);
  });

  it("is searched by words and by the stored vectors", async () => {
    const { retrieve } = as(await reopen(), "acme");
    const { entries, degraded } = await retrieve({ query: "part1 n345", limit: 1 });
    expect(entries[0]).toMatchObject({ content: "part1 n345" });
    expect(degraded).toBeUndefined();
  });

  it("has no problems that verify finds", async () => {
    expect(await problems()).toEqual([]);
    await (await reopen()).maintain();
    await close();
    expect(await problems()).toEqual([]);
  });

  it("is written to, compacted and purged", async () => {
    const opened = await reopen();
    const { store, forget } = as(opened, "acme");
    await store([
      { key: "0-1", content: "replaced again" },
      { key: "new", content: "new" },
    ]);
    await opened.maintain();
    expect(await forget({ keys: ["0-0", "later"] }, { purge: true })).toMatchObject({
      deleted: 2,
      purge: "done",
    });
    expect(await forget({ keys: ["1-345"] }, { purge: true })).toMatchObject({ deleted: 1 });
    await as(opened, "bravo").forget({ keys: ["k0"] }, { purge: true });
    const reopened = await reopen();
    const acme = await contentsOf(reopened, "acme");
    expect(acme.size).toBe(2_068);
    expect(["0-0", "0-1", "1-345", "later", "new"].map((key) => acme.get(key))).toEqual([
      undefined,
      "replaced again",
      undefined,
      undefined,
      "new",
    ]);
    const bravo = [...(await contentsOf(reopened, "bravo")).keys()].sort();
    expect(bravo).toEqual(["k2", "logged"]);
    await close();
    expect(await problems()).toEqual([]);
  });

  it("has B-trees in place of its bitmap after purges", async () => {
    expect(await indexTypes()).toEqual(["row_id_idx BTree", "scope_idx Bitmap"]);
    const { forget } = as(await reopen(), "acme");
    for (const key of ["0-0", "0-1"]) {
      await forget({ keys: [key] }, { purge: true });
      expect(await indexTypes()).toEqual(["row_id_idx BTree", "scope_idx BTree"]);
    }
  });

  it("keeps no file of the older tables after a purge", async () => {
    const isOfTable = (path: string) => /\/(?:data|_indices|_deletions|_versions)\/.*\d/.test(path);
    const older = (await listFiles(folder)).filter(isOfTable);
    expect(older.length).toBe(16);
    const opened = await reopen();
    await as(opened, "acme").forget({ keys: ["0-0"] }, { purge: true });
    await as(opened, "bravo").forget({ keys: ["k0"] }, { purge: true });
    const left = new Set(await listFiles(folder));
    expect(older.filter((path) => left.has(path))).toEqual([]);
  });
});
