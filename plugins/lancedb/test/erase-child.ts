import { writeSync } from "node:fs";
import { systemClock } from "@membus/protocol";
import { calls } from "../../kit/test/kit-calls.js";
import { openTier } from "./cascade-fixture.js";

/** Stores a secret and forgets it with purge, round by round from the first on, until it is killed. */
const [directory = "", first = "0"] = process.argv.slice(2);
const { store, forget } = calls({ plugin: await openTier(directory), clock: systemClock });
for (let round = Number(first); ; round++) {
  await store([{ key: `a${round}`, content: `s3cret-${round}.` }, { key: `kept ${round}` }], {
    id: `s${round}`,
  });
  writeSync(1, `stored ${round}\n`);
  await forget({ keys: [`a${round}`] }, { id: `f${round}`, purge: true });
  writeSync(1, `erased ${round}\n`);
}
