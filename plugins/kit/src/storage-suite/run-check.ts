import { systemClock, withTimeout } from "@membus/protocol";
import { StorageSuiteError } from "./expectation.js";
import type { StorageCheck } from "./storage-check.js";
import type { ResolvedStorageSuiteOptions, StorageUnderTest } from "./storage-under-test.js";
import { Workbench } from "./workbench.js";

/** Time for the cleanup after a timeout. */
const END_MS = 5_000;

/** @throws the failure of the check, `NotApplicableError` if it does not apply, and errors of the storage. */
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
    ended = await withTimeout(systemClock, checkTimeoutMs, work);
  } catch (error) {
    // The failure of the check is more useful than a failure of the cleanup.
    await bench.end().catch(() => undefined);
    throw error;
  }
  if (ended === undefined) {
    work.catch(() => undefined);
    // A hanging call may also keep the storage from closing.
    await withTimeout(systemClock, END_MS, bench.end()).catch(() => undefined);
    throw new StorageSuiteError(
      check.id,
      `completion within ${checkTimeoutMs} ms`,
      "timeout: a call of the storage hangs or is slow",
    );
  }
  await bench.end();
}
