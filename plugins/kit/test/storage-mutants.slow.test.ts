import { describe, expect, it } from "vitest";
import {
  registerStorageSuite,
  type StorageSuiteOptions,
  type StorageUnderTest,
} from "../src/storage-suite/index.js";
import type { StorageMutant } from "./storage-mutants/mutant.js";
import { createStorage, MUTANTS } from "./storage-mutants/served.js";

const SERVED = new URL("./storage-mutants/served.ts", import.meta.url).href;
const nodeArguments = ["--conditions=membus-source", "--import", "tsx"];
const SOUND: StorageUnderTest = { name: "lines", createStorage, module: SERVED, nodeArguments };

/** The tests that the suite registers, by title, run by nobody yet. */
function registered(subject: StorageUnderTest, options?: StorageSuiteOptions) {
  const tests = new Map<string, () => Promise<void>>();
  const context = { skip: (note: string) => Promise.reject(new Error(`skipped: ${note}`)) };
  const framework = {
    describe: (_: string, body: () => void) => body(),
    it: (title: string, body: (given: typeof context) => Promise<void>) =>
      tests.set(title, () => body(context)),
  };
  registerStorageSuite(framework, subject, options);
  return tests;
}

const CHECKS = [...registered(SOUND).keys()];
const areaOf = (check: string) => check.split("/")[0]!;

describe("a storage with a defect", () => {
  it.each(MUTANTS)("$name is found by $check", async ({ name, check, says, killCount, storage }) => {
    const subject: StorageUnderTest = {
      name,
      createStorage: (place) => new storage(place),
      module: `${SERVED}?mutant=${name}`,
      nodeArguments,
    };
    const failed = registered(subject, killCount === undefined ? {} : { killCount }).get(check)!();
    const text = await failed.then(
      () => "no failure",
      (error: Error) => error.message,
    );
    expect(text).toMatch(/^[a-z-]+\/[a-z-]+\n {2}promised {2}/);
    expect(text).toMatch(says);
  });

  it("is there for every check, and three differ in every area", () => {
    const found = (mutants: readonly StorageMutant[]) => new Set(mutants.map(({ check }) => check));
    expect(CHECKS.filter((check) => !found(MUTANTS).has(check))).toEqual([]);
    const areas = [...new Set(CHECKS.map(areaOf))];
    const few = areas.filter((area) => MUTANTS.filter(({ check }) => areaOf(check) === area).length < 3);
    expect(few).toEqual([]);
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });
});
