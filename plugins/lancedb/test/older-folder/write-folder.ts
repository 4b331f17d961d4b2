import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Clock, systemClock } from "@membus/protocol";
import { calls } from "../../../kit/test/kit-calls.js";
import { ARCHIVE, openTier, VERSION } from "./older-folder.js";

/*
 * Writes the archive again. It needs the older LanceDB, so run it in a copy of this repository:
 *
 *     npm install --workspace plugins/lancedb --workspace tools/bench @lancedb/lancedb@0.37.1
 *     npx tsx --conditions membus-source plugins/lancedb/test/older-folder/write-folder.ts
 */
const library = createRequire(import.meta.url).resolve("@lancedb/lancedb");
const { version } = JSON.parse(await readFile(join(dirname(library), "../package.json"), "utf8"));
if (version !== VERSION) throw new Error(`LanceDB ${VERSION} is required, ${version} is installed`);

const directory = await mkdtemp(join(tmpdir(), "membus-lance-"));
// The folder is from the past for every reader, also for one with a wrong clock.
const JANUARY_2024 = 1_704_067_200;
const start = systemClock.now();
const clock: Clock = {
  now: () => JANUARY_2024 + systemClock.now() - start,
  after: (delayMs, run, options) => systemClock.after(delayMs, run, options),
};

// Few remembered replies keep the log small.
const plugin = await openTier(directory, { operationCountMax: 1 }, { clock });

// A table with indexes, purged, then with a replaced row.
const acme = calls({ plugin, clock }, { tenant: "acme" });
for (let part = 0; part < 3; part++) {
  const entries = Array.from({ length: 690 }, (_, n) => ({
    key: `${part}-${n}`,
    content: `part${part} n${n}`,
  }));
  await acme.store(entries, { id: `acme ${part}` });
}
await plugin.maintain();
await acme.forget({ keys: ["2-689"] }, { id: "acme forget", purge: true });
const changed = ["0-1", "later"].map((key) => ({ key, content: "later" }));
await acme.store(changed, { id: "acme changed" });
await plugin.maintain();

// A table with a fragment for each entry, a forget and a store that are only in the log.
const bravo = calls({ plugin, clock }, { tenant: "bravo" });
for (let n = 0; n < 3; n++) {
  await bravo.store([{ key: `k${n}`, content: `k${n}` }], { id: `bravo ${n}` });
  await plugin.maintain();
}
await bravo.forget({ keys: ["k1"] }, { id: "bravo forget" });
await bravo.store([{ key: "logged", content: "logged" }], { id: "bravo logged" });

// The files of a running process, as a kill leaves them.
const files = (await readdir(directory)).filter((name) => name !== "lock" && name !== "reserve");
await promisify(execFile)("tar", ["-czf", ARCHIVE, "-C", directory, ...files.sort()]);
await plugin.close();
await rm(directory, { recursive: true });
