import { writeSync } from "node:fs";
import { scopeId, systemClock } from "@membus/protocol";
import { createLanceStorage } from "../src/index.js";
import { episodic, makeRow, scoped } from "./storage-fixture.js";

/**
 * Appends and searches vectors until it is killed, so that each maintenance builds the index of vectors or adds rows
 * to it. Round r adds `rowCount` rows. Every second round removes the first ten of them and purges, which removes the
 * index. Prints `synced r` when round r is on disk.
 */
const [directory = "", first = "0", rows = "0", components = "0"] = process.argv.slice(2);
const rowCount = Number(rows);
const dimensions = Number(components);
const alice = scopeId(episodic("acme"));
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const place = { directory, dimensions, embedder: "", clock: systemClock, logger };
const storage = createLanceStorage(place);
const rowOf = (id: number) =>
  makeRow(id, { vector: Float32Array.from({ length: dimensions }, (_, at) => id % (at + 2)) });
await storage.open();
for (let round = Number(first); ; round++) {
  const ids = Array.from({ length: rowCount }, (_, index) => round * rowCount + index);
  for (let from = 0; from < rowCount; from += 1_000)
    await storage.append(scoped(episodic("acme"), ...ids.slice(from, from + 1_000).map(rowOf)));
  await storage.remove(ids.slice(0, 10).map((rowId) => ({ scope: alice, rowId })));
  await storage.sync();
  await storage.vectors!.nearest(alice, new Float32Array(dimensions).fill(1), 10);
  writeSync(1, `synced ${round}\n`);
  await storage.maintain({ purge: false });
  await storage.maintain({ purge: false });
  await storage.maintain({ purge: round % 2 === 1 });
}
