const REMEMBERED_SECONDS = 600;

/** A remembered operation and its result. */
export interface Remembered {
  readonly digest: string;
  /** Unix seconds. */
  readonly at: number;
  readonly result: Promise<unknown>;
}

/** Returns whether an operation is no longer remembered (clause RETRY-6). */
export function hasEnded({ at }: Pick<Remembered, "at">, now: number): boolean {
  return now - at > REMEMBERED_SECONDS;
}

/** Drops the first operations of a map in order of time, up to the first that is still remembered. */
export function dropEnded(operations: Map<string, Remembered>, now: number): void {
  for (const [key, operation] of operations) {
    if (!hasEnded(operation, now)) return;
    operations.delete(key);
  }
}
