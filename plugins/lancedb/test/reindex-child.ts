import { writeSync } from "node:fs";
import { type Generation, openGeneration, rankings } from "./reindex-fixture.js";

/** Opens a directory in a generation, says what each partition answers, and works until it is killed or done. */
const [directory = "", generation = "first"] = process.argv.slice(2);
const plugin = await openGeneration(directory, generation as Generation, { batchMs: 3 });
writeSync(1, "open\n");
for (;;) {
  writeSync(1, `${JSON.stringify(await rankings(plugin))}\n`);
  if (plugin.stats?.().reindex_state === "done") break;
}
await plugin.close?.();
