/** What one run of the tests came to. */
export interface RunSummary {
  readonly passed: number;
  /** Tests, hooks, files that could not be loaded, and errors outside of any test. */
  readonly failed: number;
  readonly skipped: readonly SkippedTest[];
}

export interface SkippedTest {
  /** File and full title. */
  readonly title: string;
  /** Beyond what the title says. */
  readonly reason?: string | undefined;
}

/** Something must have run, and nothing may have failed. */
export function isSuccess({ passed, failed }: RunSummary): boolean {
  return passed > 0 && failed === 0;
}

/** The files that were left out, the skipped tests and why, then, as the last line, the counts. */
export function describeRun(
  { passed, failed, skipped }: RunSummary,
  filesLeftOut: readonly string[] = [],
): string {
  const titles = skipped.map(({ title, reason }) => (reason === undefined ? title : `${title}: ${reason}`));
  const counts = [`${passed} passed`, `${failed} failed`];
  if (skipped.length > 0) counts.push(`${skipped.length} skipped`);
  return [
    ...listing("Left to npm run test:all, because they take long:", filesLeftOut),
    ...listing("Skipped:", titles),
    counts.join(", "),
  ].join("\n");
}

function listing(heading: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [heading, ...items.map((item) => `  ${item}`)];
}
