import {
  registerStorageSuite,
  type StorageSuiteOptions,
  type StorageUnderTest,
} from "../../src/storage-suite/index.js";
import type { StorageMutant } from "./mutant.js";
import { createStorage } from "./served.js";

const module = new URL("./served.ts", import.meta.url).href;
const nodeArguments = ["--conditions=membus-source", "--import", "tsx"];

export const SOUND: StorageUnderTest = { name: "lines", createStorage, module, nodeArguments };

/** Returns the tests that the suite registers, by title, without running them. */
export function registered(subject: StorageUnderTest, options?: StorageSuiteOptions) {
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

/** Returns the failure of the check that has to find the mutant. */
export async function failureOf({ name, check, storage }: StorageMutant): Promise<string> {
  const subject: StorageUnderTest = {
    ...SOUND,
    name,
    createStorage: (place) => new storage(place),
    module: `${module}?mutant=${name}`,
  };
  const tests = registered(subject);
  return tests.get(check)!().then(
    () => "no failure",
    (error: Error) => error.message,
  );
}
