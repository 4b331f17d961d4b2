/** Counts of one test run. */
export interface RunSummary {
  readonly passed: number;
  /** Failed tests and hooks, files that failed to load, and errors outside of any test. */
  readonly failed: readonly ListedTest[];
  readonly skipped: readonly ListedTest[];
}

export interface ListedTest {
  /** File and full title. */
  readonly title: string;
  /** First line of the error, or why the test was skipped. Undefined if the title contains it. */
  readonly reason?: string | undefined;
}

/** Returns true if at least one test ran and none failed. */
export function isSuccess({ passed, failed }: RunSummary): boolean {
  return passed > 0 && failed.length === 0;
}

/**
 * Lists the slow files that did not run, and the skipped and failed tests with their reasons. The last line has
 * the counts.
 */
export function describeRun(
  { passed, failed, skipped }: RunSummary,
  slowFiles: readonly string[] = [],
): string {
  const counts = [`${passed} passed`, `${failed.length} failed`];
  if (skipped.length > 0) counts.push(`${skipped.length} skipped`);
  return [
    ...listing("Slow tests, run by npm run test:slow:", slowFiles),
    ...listing("Skipped:", skipped.map(lineOf)),
    ...listing("Failed:", failed.map(lineOf)),
    counts.join(", "),
  ].join("\n");
}

function lineOf({ title, reason }: ListedTest): string {
  return reason === undefined ? title : `${title}: ${reason}`;
}

function listing(heading: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [heading, ...items.map((item) => `  ${item}`)];
}
