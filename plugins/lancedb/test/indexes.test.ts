import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { lancedb } from "../src/lancedb.js";
import { isComplete, rebuildIndexes } from "../src/table/indexes.js";

it("a bitmap of an earlier version is replaced by a B-tree", async () => {
  const folder = mkdtempSync(join(tmpdir(), "membus-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { connect, Index } = lancedb();
  const rows = [1, 2].map((id) => ({ row_id: id, scope: `scope ${id}` }));
  const table = await (await connect(folder)).createTable("t", rows);
  await table.createIndex("scope", { config: Index.bitmap() });
  await table.createIndex("row_id", { config: Index.btree() });
  expect(isComplete(await table.listIndices())).toBe(false);
  await rebuildIndexes({ read: (task) => task(table), commit: (change) => change(table) });
  const indexes = await table.listIndices();
  expect(indexes.map(({ columns, indexType }) => [columns[0], indexType]).sort()).toEqual([
    ["row_id", "BTree"],
    ["scope", "BTree"],
  ]);
  expect(isComplete(indexes)).toBe(true);
  expect(await table.countRows("scope = 'scope 2'")).toBe(1);
});
