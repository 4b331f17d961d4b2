/**
 * Resolves at the first SIGINT or SIGTERM; a second one ends the process at once.
 * @throws what `failure` resolves to, when it does so before.
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
