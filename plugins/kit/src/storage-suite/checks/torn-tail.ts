import { copyFile, mkdir, readFile, stat, truncate } from "node:fs/promises";
import { dirname, join } from "node:path";
import { scopeId } from "@membus/protocol";
import type { ScopedRow } from "../../storage.js";
import { expectRowsExcept } from "../acknowledged.js";
import { listFiles } from "../bytes-on-disk.js";
import { NotApplicableError } from "../expectation.js";
import { ExpectedRows } from "../expected-rows.js";
import type { StorageCheck } from "../storage-check.js";
import { makeRows, ownScope, scoped } from "../test-rows.js";
import type { Workbench } from "../workbench.js";

const OWNERS = [ownScope("alice"), ownScope("bob"), ownScope("alice", "default", "other")];

const torn: StorageCheck = {
  id: "kill/torn-tail",
  rule: "An incomplete write at the end of a file is not a row, and does not prevent reading the rows before and after it.",
  async run(bench) {
    const directory = await bench.directory();
    const expectedRows = new ExpectedRows();
    const storage = await bench.open(directory);
    for (const [index, scope] of OWNERS.entries())
      await expectedRows.append(storage, scoped(scope, makeRows(index * 10, 5)));
    await storage.sync();
    const synced = await copyOf(directory, await bench.directory());
    const later = OWNERS.flatMap((scope, index) => scoped(scope, makeRows(100 + index * 10, 5)));
    await storage.append(later);
    const grown = await grownFiles(synced, directory);
    if (grown.length === 0) throw new NotApplicableError("none of its files grows at its end");
    for (const { path, from, to } of grown) {
      for (const length of new Set([from + 1, Math.floor((from + to) / 2), to - 1])) {
        if (length <= from || length >= to) continue;
        const cut = await copyOf(synced, await bench.directory());
        await copyFile(join(directory, path), join(cut, path));
        await truncate(join(cut, path), length);
        const where = `if ${path} ends ${length - from} bytes after the synced part, of ${to - from}`;
        await expectRecovery(bench, cut, { expectedRows, later }, where);
      }
    }
  },
};

interface Torn {
  readonly expectedRows: ExpectedRows;
  readonly later: readonly ScopedRow[];
}

async function expectRecovery(
  bench: Workbench,
  directory: string,
  { expectedRows, later }: Torn,
  where: string,
): Promise<void> {
  let storage = await bench.open(directory);
  const optionalIds = new Set(later.map(({ row }) => row.rowId));
  for (const scope of OWNERS.map(scopeId)) {
    const added = later.filter((one) => one.scope === scope);
    await expectRowsExcept(storage, scope, { optionalIds, rows: expectedRows.rowsOf(scope), added }, where);
  }
  await storage.removeFrom(100, OWNERS.map(scopeId));
  await storage.append(later);
  await storage.sync();
  const all = new ExpectedRows();
  for (const scope of expectedRows.scopes) all.add(expectedRows.rowsOf(scope).map((row) => ({ scope, row })));
  all.add(later);
  await all.expectIn(storage, `${where}, after the rest is appended again`);
  storage = await bench.reopen(storage, directory);
  await all.expectIn(storage, `${where}, after the rest is appended again and reopening`);
  await bench.close(storage);
}

async function copyOf(directory: string, target: string): Promise<string> {
  for (const path of await listFiles(directory)) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await copyFile(join(directory, path), join(target, path));
  }
  return target;
}

interface GrownFile {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** Returns the files that only grew at their end, which a crash may leave incomplete. */
async function grownFiles(before: string, now: string): Promise<GrownFile[]> {
  const grown: GrownFile[] = [];
  for (const path of await listFiles(before)) {
    const old = await readFile(join(before, path));
    const size = await stat(join(now, path)).then(
      (found) => found.size,
      () => 0,
    );
    if (size <= old.length) continue;
    const bytes = await readFile(join(now, path));
    if (bytes.subarray(0, old.length).equals(old)) grown.push({ path, from: old.length, to: bytes.length });
  }
  return grown;
}

export const tornTailChecks = [torn];
