import { systemClock, within } from "@membus/protocol";
import { StorageSuiteError } from "./expectation.js";
import type { StorageCheck } from "./storage-check.js";
import type { ResolvedStorageSuiteOptions, StorageUnderTest } from "./storage-under-test.js";
import { Workbench } from "./workbench.js";

/** For cleaning up behind a check that has taken too long. */
const END_MS = 5_000;

/** @throws what the check found, `NotApplicableError` where it cannot tell, and what the storage throws. */
export async function runCheck(
  check: StorageCheck,
  subject: StorageUnderTest,
  options: ResolvedStorageSuiteOptions,
): Promise<void> {
  const bench = new Workbench(subject, options);
  const { checkTimeoutMs } = options;
  const work = check.run(bench).then(() => true as const);
  let ended: true | undefined;
  try {
    ended = await within(systemClock, checkTimeoutMs, work);
  } catch (error) {
    // What the check found says more than what goes wrong behind it.
    await bench.end().catch(() => undefined);
    throw error;
  }
  if (ended === undefined) {
    work.catch(() => undefined);
    // What hangs may keep its storage from closing, too.
    await within(systemClock, END_MS, bench.end()).catch(() => undefined);
    throw new StorageSuiteError(
      check.id,
      `an end within ${checkTimeoutMs} ms`,
      "none: a call of the storage hangs, or is slow",
    );
  }
  await bench.end();
}
