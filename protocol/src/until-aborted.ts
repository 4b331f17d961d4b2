/** What `work` comes to, or a rejection with the signal's reason as soon as that is aborted. It is not stopped then. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(signal.reason as Error);
    if (signal.aborted) refuse();
    signal.addEventListener("abort", refuse, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", refuse));
  });
}
