import { randomBytes } from "node:crypto";
import { systemClock } from "@membus/protocol";
import { createLanceStorage } from "../src/index.js";
import { DIMENSIONS, episodic, makeRow, scoped } from "./storage-fixture.js";

/** Appends batches of rows with large bodies, compacts, and prints by how much that raised the peak RSS. */
const [directory = "", firstBatch = "0", batchCount = "1"] = process.argv.slice(2);
const BATCH = 25;
const BODY_BYTES = 80_000;
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const place = { directory, dimensions: DIMENSIONS, embedder: "", clock: systemClock, logger };
const storage = createLanceStorage(place);
await storage.open();
for (let batch = 0; batch < Number(batchCount); batch++) {
  const rows = Array.from({ length: BATCH }, (_, n) =>
    makeRow((Number(firstBatch) + batch) * BATCH + n, { body: randomBytes(BODY_BYTES / 2).toString("hex") }),
  );
  await storage.append(scoped(episodic("acme"), ...rows));
}
await storage.sync();
const before = process.resourceUsage().maxRSS;
await storage.maintain({ purge: false });
const grownBytes = (process.resourceUsage().maxRSS - before) * 1024;
await storage.close();
console.log(JSON.stringify({ grownBytes, bodyBytes: Number(batchCount) * BATCH * BODY_BYTES }));
