import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { lancedb } from "../src/lancedb.js";
import { optimize } from "../src/table/maintenance.js";

const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ row_id: from + index, body: "x".repeat(50) }));

it("a clean-up adds no version once nothing is left to optimize", async () => {
  const folder = mkdtempSync(join(tmpdir(), "membus-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { connect, Index } = lancedb();
  const table = await (await connect(folder)).createTable("t", rows(0, 3_000));
  await table.createIndex("row_id", { config: Index.btree() });
  await table.add(rows(3_000, 100));
  // LanceDB indexes the new rows first. Only the next call compacts them.
  const changes = [await optimize(table), await optimize(table), await optimize(table)];
  expect(changes).toEqual([true, true, false]);
  const version = await table.version();
  await table.optimize({ cleanupOlderThan: new Date(Date.now() + 60_000) });
  expect(await table.version()).toBe(version);
  expect(await table.listVersions()).toHaveLength(1);
});
