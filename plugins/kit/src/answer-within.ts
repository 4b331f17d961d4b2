import type { Clock } from "@membus/protocol";

/** The answer if it comes within `waitMs` on `clock`, else undefined; an answer that fails in time is thrown. */
export async function answerWithin<T>(
  clock: Clock,
  waitMs: number,
  answer: Promise<T>,
): Promise<T | undefined> {
  let cancel = (): void => undefined;
  const passed = new Promise<undefined>((resolve) => {
    cancel = clock.after(waitMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([answer, passed]);
  } finally {
    cancel();
  }
}
