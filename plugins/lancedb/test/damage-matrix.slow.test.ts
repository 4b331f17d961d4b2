import { cp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterAll, beforeAll, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { openFolder } from "./folder-fixture.js";
import { StorageFixture } from "./storage-fixture.js";

const TENANTS = ["acme", "bravo"];
const ROUNDS = 3;
const REFUSED = "refused";

const DAMAGES: Readonly<Record<string, (path: string) => Promise<void>>> = {
  removed: (path) => rm(path),
  emptied: (path) => truncate(path, 0),
  "cut in half": async (path) => truncate(path, (await readFile(path)).length >> 1),
  "changed in the middle": async (path) => {
    const bytes = await readFile(path);
    bytes[bytes.length >> 1]! ^= 0x55;
    await writeFile(path, bytes);
  },
};

const fixture = new StorageFixture();
let intact: string;
let expected: readonly string[];

/** Writes several versions of two tables, with updated and forgotten entries. */
beforeAll(async () => {
  intact = await fixture.directory();
  const plugin = await openFolder(intact, { kit: { flushIdleMs: 3_600_000 } });
  for (let round = 0; round < ROUNDS; round++) {
    for (const tenant of TENANTS) {
      const { store, forget } = calls({ plugin, clock: systemClock }, { tenant });
      for (let n = 0; n < 6; n++) await store([{ key: `${round} ${n}`, content: `${tenant} ${round} ${n}` }]);
      if (round > 0) await forget({ keys: [`${round - 1} 0`] });
    }
    await plugin.maintain!();
  }
  expected = await Promise.all(TENANTS.map((tenant) => contentsOf(plugin, tenant)));
  await plugin.close!();
});
afterAll(() => fixture.end());

async function contentsOf(plugin: MemoryPlugin, tenant: string): Promise<string> {
  const { retrieve } = calls({ plugin, clock: systemClock }, { tenant });
  const { entries } = await retrieve({ limit: 100 });
  return JSON.stringify(entries.map(({ key, content }) => [key, content]).sort());
}

/** Returns what each tenant reads from a damaged copy: its contents, or "refused". */
async function readDamaged(file: string, damage: (path: string) => Promise<void>): Promise<string[]> {
  const folder = await fixture.directory();
  await cp(intact, folder, { recursive: true });
  await damage(join(folder, file));
  const plugin = await openFolder(folder).catch(() => undefined);
  if (plugin === undefined) return TENANTS.map(() => REFUSED);
  const read = TENANTS.map((tenant) => contentsOf(plugin, tenant).catch(() => REFUSED));
  const contents = await Promise.all(read);
  await plugin.close!();
  return contents;
}

it.each(Object.entries(DAMAGES))("a file that is %s never changes what a tenant reads", async (_, damage) => {
  const files = await readdir(intact, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile() && file.name !== "lock");
  expect(paths.length).toBeGreaterThan(15);
  let refusedCount = 0;
  for (const { parentPath, name } of paths) {
    const file = relative(intact, join(parentPath, name));
    for (const [index, contents] of (await readDamaged(file, damage)).entries()) {
      expect([expected[index], REFUSED], `${file}, ${TENANTS[index]}`).toContain(contents);
      if (contents === REFUSED) refusedCount++;
    }
  }
  // Most damaged files stop no tenant, and a table stops only its own.
  expect(refusedCount).toBeLessThan(paths.length);
});
