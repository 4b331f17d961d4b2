import { createLruPlugin } from "@membus/plugin-lru";
import { describe, expect, it } from "vitest";
import type { Profile } from "../src/catalogue/profile.js";
import { exitCodeOf } from "../src/cli/exit-codes.js";
import { Random } from "../src/fixtures/random.js";
import { createPluginWorld, hostCheck, memoryCheck } from "../src/index.js";
import { type ReportOptions, runToReport, type SuiteReport } from "../src/report/suite-report.js";

const good = memoryCheck({
  id: "sample/good",
  clauses: ["RET-1"],
  async run({ caller, entry, expect }) {
    const { stored } = await caller.store(entry());
    expect.equal(stored.length, 1, "entries stored");
  },
});
const bad = memoryCheck({
  id: "sample/bad",
  clauses: ["RET-2"],
  async run({ caller, expect }) {
    const { total } = await caller.retrieve();
    expect.equal(total, 5, "total of an empty partition");
  },
});
/** ENV-14 is a SHOULD. */
const weak = memoryCheck({
  id: "sample/weak",
  clauses: ["ENV-14"],
  async run({ expect }) {
    expect.equal(1, 2, "one");
  },
});
const broken = memoryCheck({
  id: "sample/broken",
  clauses: ["RET-3"],
  async run() {
    throw new RangeError("a slip");
  },
});
const durable = memoryCheck({
  id: "sample/durable",
  clauses: ["DUR-1"],
  features: ["durable"],
  async run() {},
});
const ofHosts = hostCheck({ id: "sample/host", clauses: ["DISC-4"], async run() {} });

function profile(name: string, ...checks: readonly { readonly id: string }[]): Profile {
  return { name, version: "1.0", describes: name, checks: checks.map(({ id }) => id) };
}

async function report(options: Partial<ReportOptions>): Promise<SuiteReport> {
  const world = await createPluginWorld({ name: "lru", createPlugin: () => createLruPlugin() });
  const rerun = (id: string, seed: number) => `run ${id} ${seed}`;
  return runToReport(world, { seed: 5, rerun, ...options });
}

describe("a report", () => {
  it("contains the implementation, the settings and the unclaimed features", async () => {
    const { protocolVersion, route, implementation, seed, repeat, tiers, notClaimed } = await report({
      catalogue: [good],
      profiles: [profile("core", good)],
    });
    expect({ protocolVersion, route, implementation, seed, repeat }).toEqual({
      protocolVersion: "1.1",
      route: "plugin",
      implementation: "lru",
      seed: 5,
      repeat: 1,
    });
    expect(tiers[0]!.plugin).toMatch(/^lru \d/);
    expect(notClaimed.map(({ feature, tiers }) => `${feature} ${tiers.join()}`)).toEqual([
      "durable working",
      "shared working",
      "approximate working",
    ]);
  });

  it("scores each profile over its list, without checks that do not apply or run only on hosts", async () => {
    const result = await report({
      catalogue: [good, bad, weak, durable, ofHosts],
      profiles: [
        profile("core", good, bad, weak),
        { ...profile("durable", durable), features: ["durable"] },
        profile("host", ofHosts),
      ],
    });
    expect(result.profiles).toEqual([
      {
        profile: "core",
        version: "1.0",
        claimed: true,
        conformant: false,
        must: { passed: 1, total: 2 },
        should: { passed: 0, total: 1 },
        notApplicable: [],
        notRun: [],
      },
      {
        profile: "durable",
        version: "1.0",
        claimed: false,
        conformant: false,
        must: { passed: 0, total: 0 },
        should: { passed: 0, total: 0 },
        notApplicable: ["sample/durable"],
        notRun: [],
      },
    ]);
    expect(result).toMatchObject({ complete: true, conformant: false });
    expect(result.checks.map(({ profiles }) => profiles)).toEqual([
      ["core"],
      ["core"],
      ["core"],
      ["durable"],
    ]);
  });

  it("calls an implementation conformant that keeps every MUST, even if it misses a SHOULD", async () => {
    const profiles = [profile("core", good, weak)];
    const result = await report({ catalogue: [good, weak], profiles });
    expect(result).toMatchObject({ complete: true, conformant: true });
    expect([exitCodeOf(result, false), exitCodeOf(result, true)]).toEqual([0, 1]);
  });

  it("calls no selection conformant, even if all its checks pass", async () => {
    const options = { catalogue: [good, bad], profiles: [profile("core", good, bad)] };
    const chosen = await report({ ...options, selected: [good] });
    expect(chosen).toMatchObject({ complete: false, conformant: false });
    expect(chosen.profiles[0]!.notRun).toEqual(["sample/bad"]);
    expect(exitCodeOf(chosen, false)).toBe(0);
    expect(exitCodeOf(await report({ ...options, selected: [bad] }), false)).toBe(1);
  });

  it("reports a check without a profile but does not score it", async () => {
    const result = await report({ catalogue: [good, bad], profiles: [profile("core", good)] });
    expect(result.checks[1]).toMatchObject({ id: "sample/bad", outcome: "fail", profiles: [] });
    expect(result.conformant).toBe(true);
    expect(exitCodeOf(result, false)).toBe(0);
  });

  it("ends with 3 for a suite error", async () => {
    const result = await report({ catalogue: [good, broken], profiles: [profile("core", good)] });
    expect(result.conformant).toBe(false);
    expect(result.checks[1]!.cases[0]!.reason).toContain("RangeError: a slip");
    expect(exitCodeOf(result, false)).toBe(3);
  });

  it("names the round of a repeated run that shows a failure", async () => {
    const picky = memoryCheck({
      id: "sample/picky",
      clauses: ["RET-1"],
      async run({ random, expect }) {
        expect.atMost(random.next(), 0.8, "a number by chance");
      },
    });
    const options = { catalogue: [picky], profiles: [profile("core", picky)] };
    const repeated = await report({ ...options, repeat: 30 });
    const [check] = repeated.checks;
    expect(check!.outcome).toBe("fail");
    expect(check!.rerun).toBe(`run sample/picky ${check!.seed}`);
    const again = await report({ ...options, seed: check!.seed });
    expect(again.checks[0]!.outcome).toBe("fail");
    const failed = check!.cases.find(({ outcome }) => outcome === "fail")!;
    expect(again.checks[0]!.cases[0]!.discrepancy).toEqual(failed.discrepancy);
    expect(new Random(failed.seed).next()).toBeGreaterThan(0.8);
  });
});

describe("a baseline", () => {
  const options = { catalogue: [good, bad], profiles: [profile("core", good, bad)] };

  it("ignores known failures only in the exit code", async () => {
    const result = await report({ ...options, baseline: new Map([["sample/bad", "next version"]]) });
    expect(result.checks[1]).toMatchObject({ outcome: "fail", known: "next version" });
    expect(result).toMatchObject({ conformant: false, staleBaseline: [] });
    expect(exitCodeOf(result, true)).toBe(0);
  });

  it("is stale if a listed check is not red", async () => {
    const baseline = new Map([
      ["sample/good", "was once broken"],
      ["sample/bad", "next version"],
    ]);
    const result = await report({ ...options, baseline });
    expect(result.staleBaseline).toEqual(["sample/good"]);
    expect(exitCodeOf(result, false)).toBe(1);
  });

  it("ignores checks that did not run", async () => {
    const baseline = new Map([["sample/bad", "next version"]]);
    const result = await report({ ...options, selected: [good], baseline });
    expect(result.staleBaseline).toEqual([]);
  });
});
