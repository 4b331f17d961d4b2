import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ATTACKS } from "./attacks.js";
import { Neighbours } from "./neighbours.js";
import { type Percentiles, percentilesOf } from "./percentiles.js";

const ENTRIES = 20_000;
const ROUNDS = 100;
/** The attack has reached its full effect by then. */
const ATTACK_BEFORE_MS = 3_000;
/** The host completes pending requests. */
const REST_MS = 3_000;

let neighbours: Neighbours;
const results: Record<string, { idle: Percentiles; duringUnrelated: Percentiles; during: Percentiles }> = {};

beforeAll(async () => {
  neighbours = await Neighbours.start();
  await neighbours.fill(ENTRIES);
});
afterAll(async () => {
  await neighbours?.stop();
  const file = process.env.MEMBUS_NOISE_FIGURES;
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
});

/** Returns the duration of each of bob's requests in milliseconds. All must succeed. */
async function bobsTimes(): Promise<number[]> {
  const times: number[] = [];
  const timed = async (ask: () => Promise<unknown>) => {
    const begun = performance.now();
    await ask();
    times.push(performance.now() - begun);
  };
  for (let n = 0; n < ROUNDS; n++) {
    const content = `bob's note ${n}`;
    await timed(() => neighbours.bob.store({ key: `k${n % 20}`, content, tier: "episodic" }));
    await timed(() => neighbours.bob.retrieve({ query: `note ${n}`, limit: 5 }));
  }
  return times;
}

async function timesDuring(attacks: readonly string[], prefix: string): Promise<Percentiles> {
  const times = await neighbours.during(attacks, prefix, async () => {
    await delay(ATTACK_BEFORE_MS);
    return bobsTimes();
  });
  await delay(REST_MS);
  return percentilesOf(times);
}

describe("all of bob's requests are answered, and the host stays connected, during", () => {
  const names = Object.keys(ATTACKS);
  it.each([...names.map((name) => [name, [name]] as const), ["all four", names] as const])(
    "%s",
    async (attack, attacks) => {
      const idle = percentilesOf(await bobsTimes());
      // The same processes and messages without subscribers, to measure the load on the machine and the
      // server.
      const duringUnrelated = await timesDuring(attacks, "nobody");
      const during = await timesDuring(attacks, "a2e");
      results[attack] = { idle, duringUnrelated, during };
      expect(neighbours.isRunning).toBe(true);
      expect(neighbours.log).not.toMatch(/disconnected|slow consumer/i);
      expect(during.count).toBe(2 * ROUNDS);
    },
  );
});
