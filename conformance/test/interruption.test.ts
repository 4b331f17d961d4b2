import { expect, it } from "vitest";
import { Interruption } from "../src/cli/interruption.js";
import type { World } from "../src/world.js";

it("passes on every property of the world, such as the time that a slow host needs", () => {
  const world: World = {
    route: "host",
    name: "slow",
    tiers: [],
    profile: undefined,
    provisions: new Set(["restart"]),
    furtherSuites: [{ module: "a-kit/suite", tests: "a part" }],
    concurrency: 3,
    isShared: true,
    patienceMs: 45_000,
    open: () => Promise.reject(new Error("not opened")),
    replayScript: () => "",
    close: async () => undefined,
  };
  const interruption = new Interruption();
  try {
    const guarded = interruption.guard(world);
    expect(Object.keys(guarded).sort()).toEqual(Object.keys(world).sort());
    expect(guarded).toMatchObject({ concurrency: 3, isShared: true, patienceMs: 45_000, name: "slow" });
    expect(guarded.furtherSuites).toEqual([{ module: "a-kit/suite", tests: "a part" }]);
  } finally {
    interruption.release();
  }
});
