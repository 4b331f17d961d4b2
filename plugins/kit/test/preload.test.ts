import { describe, expect, it } from "vitest";
import { type Analyzer, createEnglishAnalyzer, type Storage } from "../src/index.js";
import { type Fault, faultyStorage } from "./faulty-storage.js";
import { calls } from "./kit-calls.js";
import { settled, TestKit } from "./kit-fixture.js";

const NAMESPACES = ["a", "b", "c", "a"];

/** Stores into some namespaces and returns the number of loaded partitions after a start. */
async function kitOf(options: { readonly preloadCount: number }) {
  const faults: Fault[] = [];
  const kit = await TestKit.open({
    options,
    wrapStorage: (storage): Storage => faultyStorage(storage, faults),
  });
  const { store, retrieve } = calls(kit);
  for (const [at, namespace] of NAMESPACES.entries()) await store([{ key: `k${at}` }], { namespace });
  const keysOf = async (namespace: string) => {
    const { entries } = await retrieve({}, { namespace });
    return entries.map(({ key }) => key.name).sort();
  };
  const partitions = async (): Promise<unknown> => {
    await settled();
    return kit.plugin.stats().partitions;
  };
  return { kit, faults, keysOf, partitions };
}

describe("the most recently written partitions", () => {
  it("are loaded before requests, up to the option, from the log and from the flush marker", async () => {
    const { kit, faults, keysOf, partitions } = await kitOf({ preloadCount: 2 });
    await kit.crash();
    expect(await partitions()).toBe(2);
    await kit.flush();
    await kit.reopen();
    expect(await partitions()).toBe(2);
    faults.push({ method: "load", after: false });
    expect([await keysOf("a"), await keysOf("c")]).toEqual([["k0", "k3"], ["k2"]]);
    await expect(keysOf("b")).rejects.toThrow("load failed");
    expect(await keysOf("b")).toEqual(["k1"]);
  });

  it("are loaded on request if preloading is disabled", async () => {
    const { kit, keysOf, partitions } = await kitOf({ preloadCount: 0 });
    await kit.reopen();
    expect(await partitions()).toBe(0);
    expect(await keysOf("a")).toEqual(["k0", "k3"]);
  });

  it("are loaded on request after a failed preload", async () => {
    const { kit, faults, keysOf, partitions } = await kitOf({ preloadCount: 1 });
    faults.push({ method: "load", after: false });
    await kit.reopen();
    expect(await partitions()).toBe(0);
    expect(kit.logger.reports.map(({ level, message }) => [level, message])).toEqual([
      ["warn", "could not preload a partition"],
    ]);
    expect(await keysOf("a")).toEqual(["k0", "k3"]);
  });
});

describe("the analyzer", () => {
  const used = async (analyzeQuery: Analyzer["analyzeQuery"]) => {
    const kit = await TestKit.open({ analyzer: { ...createEnglishAnalyzer(), analyzeQuery } });
    await settled();
    kit.clock.advance(1);
    return kit;
  };

  it("is warmed up before requests, because it may load data at first use", async () => {
    const queries: string[] = [];
    await used((query) => {
      queries.push(query);
      return [];
    });
    expect(queries).toHaveLength(1);
  });

  it("may fail during the warm-up, and requests then receive the error", async () => {
    const kit = await used(() => {
      throw new Error("no dictionary");
    });
    expect(kit.logger.reports.map(({ message }) => message)).toEqual(["could not warm up the analyzer"]);
    await expect(calls(kit).retrieve({ query: "tea" })).rejects.toThrow("no dictionary");
  });

  it("is not warmed up after the tier is closed", async () => {
    const kit = await TestKit.open({});
    await settled();
    await kit.plugin.close();
    expect(kit.clock.timerCount).toBe(0);
  });
});
