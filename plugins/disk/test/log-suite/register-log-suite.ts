import { describe } from "vitest";
import { registerAppendTests } from "./append-tests.js";
import { registerKeeperTests } from "./keeper-tests.js";
import { registerLimitTests } from "./limit-tests.js";
import type { CreateLog } from "./log-under-test.js";
import { registerSegmentTests } from "./segment-tests.js";

/** Registers tests of the contract of `Log`, `OpenLog` and `LogKeeper` that every log passes. */
export function registerLogSuite(title: string, create: CreateLog): void {
  describe(`${title} as a log`, () => {
    registerAppendTests(create);
    registerLimitTests(create);
    registerSegmentTests(create);
    registerKeeperTests(create);
  });
}
