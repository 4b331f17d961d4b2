import { rewriteReplies, startHost } from "@membus/mutants";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { expect, it } from "vitest";
import { createHostWorld, createPluginWorld, runToReport, type SuiteReport } from "../src/index.js";
import { causeGroups } from "../src/report/cause-groups.js";
import { textReport } from "../src/report/text-report.js";
import { createPlugin } from "./implementations/word-map.js";

const RUN = { seed: 1, rerun: (id: string) => id, checkTimeoutMs: 120_000 };

/** Returns the value without the field at a path. Lists on the path stand for each of their elements. */
function without(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => without(one, [name!, ...rest]));
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name!)) return value;
  const { [name!]: field, ...others } = value as Record<string, unknown>;
  return rest.length === 0 ? others : { ...others, [name!]: without(field, rest) };
}

type Method = "onStore" | "onRetrieve" | "onForget" | "onStatus";

/** Returns a correct plugin with results of `method` that lack a field. */
function pluginWithout(method: Method, path: string): MemoryPlugin {
  const sound = createPlugin();
  return new Proxy(sound, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      if (name !== method) return own.bind(target);
      return async (...given: unknown[]) => without(await own.apply(target, given), path.split("."));
    },
  });
}

function countOf({ checks }: SuiteReport, wanted: string): number {
  return checks.filter(({ outcome }) => outcome === wanted).length;
}

/** Expects few red checks, no suite error, and one group for the missing field. */
function expectOneCause(report: SuiteReport, field: string): void {
  expect(report.conformant).toBe(false);
  expect(countOf(report, "suite-error")).toBe(0);
  expect(countOf(report, "fail")).toBeGreaterThanOrEqual(1);
  expect(countOf(report, "fail")).toBeLessThanOrEqual(10);
  const ofField = causeGroups(report.checks).filter(({ first }) =>
    first.cases.some(({ discrepancy }) => discrepancy?.cause?.startsWith(`field ${field}:`)),
  );
  expect(ofField).toHaveLength(1);
  expect(textReport(report).length).toBeLessThan(60_000);
}

it.each([
  ["onStore", "receipts", "receipts"],
  ["onRetrieve", "entries.timestamps", "entries.[].timestamps"],
  ["onStatus", "done", "done"],
] as const)("results of %s without %s cause one red check", async (method, path, field) => {
  const world = await createPluginWorld({
    name: "lacking",
    createPlugin: () => pluginWithout(method, path),
  });
  expectOneCause(await runToReport(world, RUN), field);
});

it("replies without a field cause one red check", async () => {
  const host = await startHost({
    bus: (bus) => rewriteReplies(bus, (message) => without(message, ["entries", "seq"]) as typeof message),
  });
  try {
    const world = await createHostWorld({ ...host.implementation, tiers: ["working"] });
    expectOneCause(await runToReport(world, RUN), "entries.[].seq");
  } finally {
    await host.stop();
  }
});
