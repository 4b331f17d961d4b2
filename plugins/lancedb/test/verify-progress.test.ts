import { mkdtemp, readdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@membus/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createLanceDbPlugin } from "../src/index.js";
import { killedFolder } from "./folder-fixture.js";

let root: string;
let folder: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "membus-verify-"));
  folder = join(root, "copy");
  await killedFolder(join(root, "tier"), folder);
});
afterEach(() => rm(root, { recursive: true }));

/** Returns the numbers of bytes that a verification reports for each part. */
async function progressOf(): Promise<ReadonlyMap<string, number[]>> {
  const counts = new Map<string, number[]>();
  await createLanceDbPlugin().verify({
    ...{ directory: folder, tier: "episodic", logger: silentLogger },
    onBytes: (count, part) => counts.set(part, [...(counts.get(part) ?? []), count]),
  });
  return counts;
}

async function sizeOf(...path: string[]): Promise<number> {
  const names = await readdir(join(folder, ...path), { recursive: true });
  const stats = await Promise.all(names.map((name) => stat(join(folder, ...path, name))));
  return stats.filter((each) => each.isFile()).reduce((sum, { size }) => sum + size, 0);
}

const sum = (counts: readonly number[] = []) => counts.reduce((total, count) => total + count, 0);

it("a verification counts the bytes of the log by segment, and of each table", async () => {
  const progress = await progressOf();
  expect([...progress.keys()].sort()).toEqual(["log", "t_acme", "t_bravo"]);
  expect(sum(progress.get("log"))).toBe(await sizeOf("log"));
  for (const table of ["t_acme", "t_bravo"]) {
    expect(sum(progress.get(table))).toBe(await sizeOf("table", `${table}.lance`));
    // The rows are read, then counted with two indexes.
    expect(progress.get(table)).toHaveLength(3);
  }
  const segments = (await readdir(join(folder, "log"))).length;
  expect(segments).toBeGreaterThan(10);
  // All but the newest segment are read twice.
  expect(progress.get("log")).toHaveLength(2 * segments - 1);
});

it("a verification of an unreadable table counts nothing for it", async () => {
  await rm(join(folder, "table", "t_acme.lance", "data"), { recursive: true });
  const progress = await progressOf();
  expect([...progress.keys()].sort()).toEqual(["log", "t_bravo"]);
});

it("a verification of a table without its folder still reports the other tables", async () => {
  const table = join(folder, "table", "t_acme.lance");
  await rm(table, { recursive: true });
  await symlink(join(root, "missing"), table);
  const place = { directory: folder, tier: "episodic", logger: silentLogger } as const;
  const report = (await createLanceDbPlugin().verify(place))!;
  expect(report.parts.find(({ name }) => name === "t_bravo")!.rows).toBeGreaterThan(0);
  expect(report.problems.join("\n")).toContain("t_acme");
});
