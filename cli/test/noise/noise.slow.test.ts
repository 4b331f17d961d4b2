import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Neighbours } from "./neighbours.js";

const ROUNDS = 50;
/** The attack has reached its full effect by then. `npm run bench -- --only noise` measures it. */
const ATTACK_BEFORE_MS = 3_000;

/** The first one fills a memory before its attack. No other must hold it up. */
const ATTACKS = [
  ["expensive", "retrieves"],
  ["flooder", "a2e", "large-stores"],
  ["flooder", "a2e", "namespaces"],
  ["flooder", "a2e", "retrieves"],
] as const;

let neighbours: Neighbours;

beforeAll(async () => {
  neighbours = await Neighbours.start();
});
afterAll(() => neighbours?.stop());

describe("all of bob's requests are answered, and the host stays connected, during", () => {
  const single = ATTACKS.map((attack) => [attack.join(" "), [attack]] as const);
  it.each([...single, ["all of them", ATTACKS] as const])("%s", async (_, attacks) => {
    await neighbours.during(attacks, async () => {
      await delay(ATTACK_BEFORE_MS);
      for (let n = 0; n < ROUNDS; n++) {
        const content = `bob's note ${n}`;
        await neighbours.bob.store({ key: `k${n % 20}`, content, tier: "episodic" });
        await neighbours.bob.retrieve({ query: `note ${n}`, limit: 5 });
      }
    });
    expect(neighbours.isRunning).toBe(true);
    expect(neighbours.log).not.toMatch(/disconnected|slow consumer/i);
  });
});
