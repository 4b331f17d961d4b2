import { writeSync } from "node:fs";
import { systemClock } from "@membus/protocol";
import { calls } from "../../kit/test/kit-calls.js";
import { openFolder } from "./folder-fixture.js";

/**
 * Stores until it is killed, in ever new tenants, with a segment every few stores and a flush every few
 * milliseconds. Prints `stored n` when entry n is stored.
 */
const [directory = "", first = "0"] = process.argv.slice(2);
const plugin = await openFolder(directory, { log: { segmentBytes: 4_096 }, kit: { flushIdleMs: 1 } });
writeSync(1, "open\n");
for (let n = Number(first); ; n++) {
  const { store, forget } = calls({ plugin, clock: systemClock }, { tenant: `t${Math.floor(n / 10)}` });
  await store([{ key: `${n}`, content: "x".repeat(1_500) }], { id: `store ${n}` });
  writeSync(1, `stored ${n}\n`);
  if (n % 7 === 0) await forget({ keys: ["none"] }, { id: `forget ${n}` });
  if (n % 25 === 24) await plugin.maintain!();
}
