import type { MemoryClient } from "@membus/agent-client";
import { delay, isMemoryError, systemClock } from "@membus/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ChaosStage } from "./chaos-stage.js";
import { Chance } from "./kill-loop/chance.js";
import { listEntries } from "./kill-loop/list-entries.js";

const IN_FLIGHT = 64;
const STOPS = 3;

/** Outcomes of single stores of distinct keys, without retries. */
class Outcomes {
  readonly stored: string[] = [];
  /** Codes of the errors returned by the host. */
  readonly refusals = new Set<string>();
  /** Requests that may have been received but were not answered. */
  readonly unanswered: string[] = [];

  /** Stores until no host responds. */
  async write(memory: MemoryClient, name: string): Promise<void> {
    for (let n = 0; await this.#store(memory, `${name}-${n}`); n++);
  }

  /** Resolves when `count` entries are stored. */
  async reached(count: number): Promise<void> {
    while (this.stored.length < count) await delay(systemClock, 1);
  }

  async #store(memory: MemoryClient, key: string): Promise<boolean> {
    try {
      await memory.remember(key, key, { tier: "episodic" });
      this.stored.push(key);
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      if (error.detail.reason === "no_responders") return false;
      if (error.code === "timeout") this.unanswered.push(key);
      else this.refusals.add(error.code);
    }
    return true;
  }
}

describe("a host that is stopped under load", () => {
  let stage: ChaosStage;
  let memory: MemoryClient;
  beforeEach(async () => {
    stage = await ChaosStage.open();
    await stage.startHost();
    memory = await stage.client({ agent: "alice", timeoutMs: 20_000, retryTimeoutMs: 0 });
  });
  afterEach(() => stage.close());

  it("answers every received request, and has every acknowledged entry", async () => {
    const chance = new Chance(1);
    const stored: string[] = [];
    for (let stop = 0; stop < STOPS; stop++) {
      const outcomes = new Outcomes();
      const writers = Array.from({ length: IN_FLIGHT }, (_, n) => outcomes.write(memory, `${stop}-${n}`));
      await outcomes.reached(chance.int(500, 10));
      expect(await stage.stopHost()).toBe(0);
      await Promise.all(writers);
      expect(outcomes.unanswered).toEqual([]);
      expect([...outcomes.refusals].filter((code) => code !== "unavailable")).toEqual([]);
      stored.push(...outcomes.stored);
      await stage.startHost();
      const found = (await listEntries(memory, "episodic")).map(({ content }) => content as string);
      expect(found.sort()).toEqual([...stored].sort());
    }
  });
});
