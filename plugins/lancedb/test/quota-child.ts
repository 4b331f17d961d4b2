import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { openWithQuotas, outcomeOf } from "./quotas-fixture.js";

/**
 * Fills a tier up to its quota, forgets, replaces and lets entries expire, round by round, until it is
 * killed.
 */
const [directory = "", first = "0"] = process.argv.slice(2);
const { of } = await openWithQuotas(directory, { quotas: { agent: { entries: 50 } }, flushIdleMs: 5 });
writeSync(1, "open\n");
for (let round = Number(first); ; round++) {
  const { store } = of({ namespace: `n${round % 3}` });
  const stores = Array.from({ length: 20 }, (_, n) =>
    store([{ key: `${round % 7} ${n}`, content: `of ${round}`, ttl: n % 5 === 0 ? 0.2 : null }], {
      id: randomUUID(),
    }),
  );
  const outcomes = (await Promise.all(stores)).map(outcomeOf);
  if (outcomes.includes("agentEntries")) writeSync(1, "full\n");
  const keys = Array.from({ length: 12 }, (_, n) => `${(round + 3) % 7} ${n}`);
  await of({ namespace: "**" }).forget({ keys }, { id: randomUUID() });
  writeSync(1, `round ${round}\n`);
}
