import { writeSync } from "node:fs";
import { fell, openTier, plant } from "./cascade-fixture.js";

/** Stores a tree and forgets it with cascade, round by round from the first on, until it is killed. */
const [directory = "", first = "0"] = process.argv.slice(2);
const plugin = await openTier(directory);
writeSync(1, "open\n");
for (let round = Number(first); ; round++) {
  await plant(plugin, round);
  writeSync(1, `planted ${round}\n`);
  await fell(plugin, round);
  writeSync(1, `felled ${round}\n`);
}
