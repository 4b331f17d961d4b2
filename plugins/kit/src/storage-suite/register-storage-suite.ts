import { parseOptions } from "@membus/protocol";
import { STORAGE_CHECKS } from "./checks/index.js";
import { NotApplicableError, StorageSuiteError } from "./expectation.js";
import { runCheck } from "./run-check.js";
import type { StorageCheck } from "./storage-check.js";
import {
  type StorageSuiteOptions,
  StorageSuiteOptionsSchema,
  type StorageUnderTest,
} from "./storage-under-test.js";

/**
 * The used part of vitest or another test framework. The test file passes it, so that the suite depends on
 * none.
 */
export interface TestFramework {
  describe(title: string, body: () => void): unknown;
  it(title: string, body: (context: TestContext) => Promise<void>, timeoutMs: number): unknown;
}

export interface TestContext {
  /** Ends the test as skipped, by throwing. */
  skip(note: string): unknown;
}

/** Time for the cleanup, in addition to the time of the check. */
const MARGIN_MS = 30_000;

/**
 * Registers one test for each rule of `Storage`. A failed test names the rule, the checked value, the
 * expected value and the actual one. A check that does not apply is skipped with the reason.
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function registerStorageSuite(
  { describe, it }: TestFramework,
  subject: StorageUnderTest,
  options: StorageSuiteOptions = {},
): void {
  const resolved = parseOptions(StorageSuiteOptionsSchema, options);
  describe(`${subject.name}: the rules of Storage, ${STORAGE_CHECKS.length} checks`, () => {
    for (const check of STORAGE_CHECKS) {
      it(
        check.id,
        async (context) => {
          try {
            await runCheck(check, subject, resolved);
          } catch (error) {
            reportFailure(check, error, context);
          }
        },
        resolved.checkTimeoutMs + MARGIN_MS,
      );
    }
  });
}

function reportFailure({ id, rule }: StorageCheck, error: unknown, context: TestContext): void {
  if (error instanceof NotApplicableError) {
    context.skip(error.message);
    return;
  }
  const what = error instanceof Error ? error.message : String(error);
  const text = `${id}\n  rule      ${rule}\n  ${what}`;
  if (!(error instanceof StorageSuiteError)) throw new Error(text, { cause: error });
  // The stack would only show the suite.
  throw Object.assign(new Error(text), { stack: text });
}
