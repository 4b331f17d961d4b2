import { describe, expect, it } from "vitest";
import { type Analyzer, createEnglishAnalyzer, type Storage } from "../src/index.js";
import { type Fault, faultyStorage } from "./faulty-storage.js";
import { calls } from "./kit-calls.js";
import { settled, TestKit } from "./kit-fixture.js";

const NAMESPACES = ["a", "b", "c", "a"];

/** Stores into some namespaces and tells how many partitions are in RAM after a start. */
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

describe("the partitions that were written last", () => {
  it("are in RAM before anybody asks, as many as asked for, from the log and from the flush marker", async () => {
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

  it("wait for requests where none is asked for", async () => {
    const { kit, keysOf, partitions } = await kitOf({ preloadCount: 0 });
    await kit.reopen();
    expect(await partitions()).toBe(0);
    expect(await keysOf("a")).toEqual(["k0", "k3"]);
  });

  it("are loaded by the request where that failed before", async () => {
    const { kit, faults, keysOf, partitions } = await kitOf({ preloadCount: 1 });
    faults.push({ method: "load", after: false });
    await kit.reopen();
    expect(await partitions()).toBe(0);
    expect(kit.logger.reports.map(({ level, message }) => [level, message])).toEqual([
      ["warn", "a partition was not preloaded"],
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

  it("is used before anybody asks, as what it needs may have to be loaded first", async () => {
    const queries: string[] = [];
    await used((query) => {
      queries.push(query);
      return [];
    });
    expect(queries).toHaveLength(1);
  });

  it("may fail then: whoever asks is told", async () => {
    const kit = await used(() => {
      throw new Error("no dictionary");
    });
    expect(kit.logger.reports.map(({ message }) => message)).toEqual(["the analyzer failed"]);
    await expect(calls(kit).retrieve({ query: "tea" })).rejects.toThrow("no dictionary");
  });

  it("is left alone once the tier is closed", async () => {
    const kit = await TestKit.open({});
    await settled();
    await kit.plugin.close();
    expect(kit.clock.timerCount).toBe(0);
  });
});
