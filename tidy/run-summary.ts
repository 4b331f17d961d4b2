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

/** The skipped tests and why, then, as the last line, the counts. */
export function describeRun({ passed, failed, skipped }: RunSummary): string {
  const titles = skipped.map(({ title, reason }) => `  ${title}${reason === undefined ? "" : `: ${reason}`}`);
  const counts = [`${passed} passed`, `${failed} failed`];
  if (skipped.length === 0) return counts.join(", ");
  return ["Skipped:", ...titles, [...counts, `${skipped.length} skipped`].join(", ")].join("\n");
}
