/**
 * Resolves at the first SIGINT or SIGTERM. A second signal ends the process immediately.
 * @throws the error that `failure` resolves to, if it resolves first.
 */
export async function untilSignalled(failure?: Promise<Error | undefined>): Promise<void> {
  let stop: () => void = () => {};
  const signalled = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
  });
  const error = await Promise.race(failure === undefined ? [signalled] : [signalled, failure]);
  if (error !== undefined) throw error;
}
