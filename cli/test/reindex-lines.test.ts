import { systemClock } from "@membus/protocol";
import { expect, it } from "vitest";
import { progressLines } from "../src/reindex/progress-lines.js";
import { ReindexRates } from "../src/reindex/reindex-rates.js";
import type { TierProgress } from "../src/reindex/tier-progress.js";

const IDS = "generation 2: small, en";
const progress = (host: string, tier: string, done: number, state: TierProgress["state"]): TierProgress => ({
  ...{ host_id: `id-${host}`, host, tier, state, generation: 2, embedder: "small", analyzer: "en" },
  ...{ total: 10, done },
});
const lines = (...tiers: TierProgress[]) => progressLines(tiers, new ReindexRates(systemClock));

it("shows the tiers of a single host without its name", () => {
  expect(lines(progress("a", "episodic", 5, "running"), progress("a", "semantic", 10, "done"))).toEqual([
    `episodic  ███████████████░░░░░░░░░░░░░░░ 50%  5 of 10 entries, running  ${IDS}`,
    `semantic  done  ${IDS}`,
  ]);
});

it("shows the hosts of a cluster by name, and adds their entries up", () => {
  const tiers = [
    progress("a", "episodic", 10, "done"),
    progress("a", "semantic", 10, "done"),
    progress("b", "episodic", 5, "paused"),
    progress("b", "semantic", 10, "done"),
  ];
  expect(lines(...tiers)).toEqual([
    `host a  episodic  done  ${IDS}`,
    `host a  semantic  done  ${IDS}`,
    `host b  episodic  ███████████████░░░░░░░░░░░░░░░ 50%  5 of 10 entries, paused  ${IDS}`,
    `host b  semantic  done  ${IDS}`,
    "all hosts  episodic  ███████████████████████░░░░░░░ 75%  15 of 20 entries, paused",
    "all hosts  semantic  done",
  ]);
});
