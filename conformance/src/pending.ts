/** What is awaited later, or by nobody where a check fails before: its rejection is heard in any case. */
export function pending<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => undefined);
  return work;
}
