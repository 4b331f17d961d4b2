const CODES = new Set(["ENOSPC", "EDQUOT"]);
/** Matches messages of libraries that do not pass on an error code. */
const WORDS = /no space left on device|disk quota exceeded/i;

/** Runs `task`, and retries it once if the disk is full and `freeSpace` frees space. */
export async function withFreedSpace<T>(
  freeSpace: () => Promise<boolean>,
  task: () => Promise<T>,
): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!isDiskFull(error) || !(await freeSpace())) throw error;
    return task();
  }
}

/** Returns whether an error, or its cause, is a full file system or an exceeded disk quota. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, detail } = error as {
    readonly code?: unknown;
    readonly detail?: { readonly reason?: unknown };
  };
  if (CODES.has(String(code)) || CODES.has(String(detail?.reason)) || WORDS.test(error.message)) return true;
  return isDiskFull(error.cause);
}
