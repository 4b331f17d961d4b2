import { randomInt } from "node:crypto";
import { cpSync } from "node:fs";
import { basename, join } from "node:path";
import type { AgentMemory } from "@membus/agent-client";
import type { MemoryTier } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChaosStage } from "./chaos-stage.js";
import { Lane } from "./lane.js";
import { Load } from "./load.js";
import { appendTail, damageInside, logFiles, TAILS, type Tail } from "./log-damage.js";
import { expectRelevanceAsIfNew, expectShelf, listEntries, type Shelf } from "./observe.js";

/** MEMBUS_CRASH_ROUNDS=500 is a longer look. */
const ROUNDS = Number(process.env.MEMBUS_CRASH_ROUNDS ?? 20);
const ROUND_TIMEOUT_MS = 60_000;
const LANES_PER_SHELF = 8;

let stage: ChaosStage;
let shelves: Shelf[];
let lanes: Lane[];

beforeAll(async () => {
  stage = await ChaosStage.open();
  await stage.startHost();
  const memory = await stage.client({ agent: "alice", retryTimeoutMs: 120_000 });
  shelves = [shelf(memory, "episodic"), shelf(memory.forAgent("bob"), "semantic")];
  lanes = shelves.flatMap((each) => each.lanes);
});

afterAll(() => stage.close());

function shelf(memory: AgentMemory, tier: MemoryTier): Shelf {
  const names = Array.from({ length: LANES_PER_SHELF }, (_, n) => `${tier}-${n}`);
  return { memory, tier, lanes: names.map((lane) => new Lane({ memory, tier, lane })) };
}

/** Kills the host after a random number of acknowledged requests, with one of every lane in flight. */
async function killUnderLoad(): Promise<number> {
  const load = new Load(lanes);
  await load.acknowledged(randomInt(20, 400));
  await stage.killHost();
  return load.stop();
}

/** What is there has to be right before anything is sent again, and must not change by that. */
async function expectAcknowledged(): Promise<void> {
  await Promise.all(shelves.map(expectShelf));
  await Promise.all(lanes.map((lane) => lane.settle()));
  await Promise.all(lanes.map((lane) => lane.repeatAnswered(3)));
  await Promise.all(shelves.map(expectShelf));
  await Promise.all(shelves.map(expectRelevanceAsIfNew));
}

async function round(tail: Tail, killsStart: boolean): Promise<number> {
  const acknowledged = await killUnderLoad();
  for (const { tier } of shelves) appendTail(join(stage.data, tier, "log"), tail);
  if (killsStart) await stage.killStartingHost(randomInt(1_000));
  await stage.startHost();
  await expectAcknowledged();
  return acknowledged;
}

describe("a host that is killed under load", () => {
  it(
    "has every acknowledged entry afterwards, once, whole, as relevant as ever, and none that was forgotten",
    async () => {
      let acknowledged = 0;
      for (let n = 0; n < ROUNDS; n++) acknowledged += await round(TAILS[n % TAILS.length]!, n % 5 === 4);
      expect(acknowledged).toBeGreaterThanOrEqual(ROUNDS * 20);
    },
    ROUNDS * ROUND_TIMEOUT_MS,
  );

  it("refuses a log that was damaged inside, names file and byte, and repairs it when told to", async () => {
    await killUnderLoad();
    const copy = join(stage.directory, "copy");
    // Sockets cannot be copied: that of the host, and of one that was killed before it had the lock.
    cpSync(stage.data, copy, { recursive: true, filter: (path) => !/^lock(\.|$)/.test(basename(path)) });
    const log = join(copy, "episodic", "log");
    expect(logFiles(log).length).toBeGreaterThan(2);
    const { path, offset } = damageInside(log);

    const { code, stderr } = await stage.refusedHost({ data: copy });
    expect(code).toBe(1);
    const named = /the log is corrupt: (.+), byte (\d+), record \d+: /.exec(stderr);
    expect(named?.[1]).toBe(path);
    expect(Number(named?.[2])).toBeLessThanOrEqual(offset);

    await stage.startHost({ data: copy, args: ["--repair"] });
    for (const { memory, tier } of shelves) await listEntries(memory, tier);
    await stage.killHost();
    await stage.startHost();
    await expectAcknowledged();
  });
});
