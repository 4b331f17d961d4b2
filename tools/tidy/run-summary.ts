/** Counts of one test run. */
export interface RunSummary {
  readonly passed: number;
  /** Failed tests and hooks, files that failed to load, and errors outside of any test. */
  readonly failed: number;
  readonly skipped: readonly SkippedTest[];
}

export interface SkippedTest {
  /** File and full title. */
  readonly title: string;
  /** Reason, if the title does not contain it. */
  readonly reason?: string | undefined;
}

/** Returns true if at least one test ran and none failed. */
export function isSuccess({ passed, failed }: RunSummary): boolean {
  return passed > 0 && failed === 0;
}

/**
 * Lists the slow files that did not run and the skipped tests with their reasons. The last line has the counts.
 */
export function describeRun(
  { passed, failed, skipped }: RunSummary,
  slowFiles: readonly string[] = [],
): string {
  const titles = skipped.map(({ title, reason }) => (reason === undefined ? title : `${title}: ${reason}`));
  const counts = [`${passed} passed`, `${failed} failed`];
  if (skipped.length > 0) counts.push(`${skipped.length} skipped`);
  return [
    ...listing("Slow tests, run by npm run test:slow:", slowFiles),
    ...listing("Skipped:", titles),
    counts.join(", "),
  ].join("\n");
}

function listing(heading: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [heading, ...items.map((item) => `  ${item}`)];
}
