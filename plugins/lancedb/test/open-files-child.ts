import { closeSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { scopeId } from "@membus/protocol";
import { episodic, loadIds, makeRow, StorageFixture, scoped } from "./storage-fixture.js";

/** Fails to write to a table without free file handles, and writes once there are some. Prints the outcomes. */
const [directory = ""] = process.argv.slice(2);
const acme = episodic("acme");
const storage = await new StorageFixture().open(directory);
await storage.append(scoped(acme, makeRow(1)));
await storage.sync();
await storage.append(scoped(acme, makeRow(2)));

const handles = openAll();
const failures: unknown[] = [];
for (const task of [() => storage.append(scoped(acme, makeRow(3))), () => storage.sync()])
  await task().catch((error: { readonly detail?: object }) => failures.push(error.detail));
for (const handle of handles) closeSync(handle);
console.log(JSON.stringify(failures));
console.log(`damaged ${storage.stats().tables_damaged}, files ${readdirSync(join(directory, "table"))}`);

await storage.removeFrom(3, [scopeId(acme)]);
await storage.append(scoped(acme, makeRow(3)));
await storage.sync();
console.log(`rows ${await loadIds(storage, acme)}`);
await storage.close();

/** Opens files until the process may open no more. */
function openAll(): number[] {
  const opened: number[] = [];
  for (;;) {
    try {
      opened.push(openSync(directory, "r"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EMFILE") throw error;
      return opened;
    }
  }
}
