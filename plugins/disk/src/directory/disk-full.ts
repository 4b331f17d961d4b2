const CODES = new Set(["ENOSPC", "EDQUOT"]);
/** What libraries say that pass no code on. */
const WORDS = /no space left on device|disk quota exceeded/i;

/** Runs `task`, and once more when the disk is full and `makeRoom` makes some. */
export async function withRoom<T>(makeRoom: () => Promise<boolean>, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!isDiskFull(error) || !(await makeRoom())) throw error;
    return task();
  }
}

/** Whether an error, or what caused it, is that the file system or a quota of it has no room left. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, detail } = error as {
    readonly code?: unknown;
    readonly detail?: { readonly reason?: unknown };
  };
  if (CODES.has(String(code)) || CODES.has(String(detail?.reason)) || WORDS.test(error.message)) return true;
  return isDiskFull(error.cause);
}
