import { writeSync } from "node:fs";
import { fill, type Generation, openGeneration, rankings } from "./reindex-fixture.js";

/**
 * Opens a directory in a generation, prints the answer of each partition, and works until it is killed or
 * done. With `fill` it stores first and does not flush.
 */
const [directory = "", generation = "first", task] = process.argv.slice(2);
const options = task === "fill" ? { batchMs: 0, flushIdleMs: 600_000 } : { batchMs: 20, flushIdleMs: 20 };
const plugin = await openGeneration(directory, generation as Generation, options);
if (task === "fill") await fill(plugin);
writeSync(1, "open\n");
for (;;) {
  writeSync(1, `${JSON.stringify(await rankings(plugin))}\n`);
  // A filled directory stays unflushed.
  if (task === "fill") process.kill(process.pid, "SIGKILL");
  if (plugin.stats?.().reindex_state === "done") break;
}
await plugin.close?.();
