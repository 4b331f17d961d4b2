/** Returns the result of `work`, or the name and message of its error. */
export async function resultOrError(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => `${(error as Error).name}: ${(error as Error).message}`);
}
