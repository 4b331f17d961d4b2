import { STORAGE_CHECKS } from "./checks/index.js";
import { NotApplicableError, StorageSuiteError } from "./expectation.js";
import { runCheck } from "./run-check.js";
import type { StorageCheck } from "./storage-check.js";
import {
  resolveStorageSuiteOptions,
  type StorageSuiteOptions,
  type StorageUnderTest,
} from "./storage-under-test.js";

/** What is used of vitest, or of another framework, given by the test file: the suite itself depends on none. */
export interface TestFramework {
  describe(title: string, body: () => void): unknown;
  it(title: string, body: (context: TestContext) => Promise<void>, timeoutMs: number): unknown;
}

export interface TestContext {
  /** Ends the test as skipped, by throwing. */
  skip(note: string): unknown;
}

/** Beyond the time of the check itself, for cleaning up. */
const MARGIN_MS = 30_000;

/**
 * Registers one test for each promise of a `Storage`. A test that fails names the promise, what was looked at, what was
 * expected and what came; one that does not apply is skipped, with the reason.
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function registerStorageSuite(
  { describe, it }: TestFramework,
  subject: StorageUnderTest,
  options: StorageSuiteOptions = {},
): void {
  const resolved = resolveStorageSuiteOptions(options);
  describe(`${subject.name}: the promises of a Storage, ${STORAGE_CHECKS.length} checks`, () => {
    for (const check of STORAGE_CHECKS) {
      it(
        check.id,
        async (context) => {
          try {
            await runCheck(check, subject, resolved);
          } catch (error) {
            settle(check, error, context);
          }
        },
        resolved.checkTimeoutMs + MARGIN_MS,
      );
    }
  });
}

function settle({ id, promise }: StorageCheck, error: unknown, context: TestContext): void {
  if (error instanceof NotApplicableError) {
    context.skip(error.message);
    return;
  }
  const what = error instanceof Error ? error.message : String(error);
  const text = `${id}\n  promised  ${promise}\n  ${what}`;
  if (!(error instanceof StorageSuiteError)) throw new Error(text, { cause: error });
  // Its text says it all: a stack would only show the suite.
  throw Object.assign(new Error(text), { stack: text });
}
