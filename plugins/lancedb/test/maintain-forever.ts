import { writeSync } from "node:fs";
import { scopeId, systemClock } from "@membus/protocol";
import { createLanceStorage } from "../src/index.js";
import { DIMENSIONS, episodic, makeRow, scoped } from "./storage-fixture.js";

/**
 * Appends, removes and purges until it is killed. Round r adds rows 1000r..1000r+999 and removes the first
 * ten of the previous round. From the third round on there are enough rows for every purge to rebuild the
 * indexes. Prints `synced r` when round r is on disk, and `maintaining` before every purge.
 */
const [directory = "", first = "0"] = process.argv.slice(2);
const ROWS = 1_000;
const alice = scopeId(episodic("acme"));
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const place = { directory, dimensions: DIMENSIONS, embedder: "", clock: systemClock, logger };
const storage = createLanceStorage(place);
await storage.open();
for (let round = Number(first); ; round++) {
  const ids = Array.from({ length: ROWS }, (_, index) => round * ROWS + index);
  await storage.append(scoped(episodic("acme"), ...ids.map((id) => makeRow(id))));
  await storage.remove(ids.slice(0, 10).map((id) => ({ scope: alice, rowId: id - ROWS })));
  await storage.sync();
  writeSync(1, `synced ${round}\nmaintaining\n`);
  await storage.maintain({ purge: true });
}
