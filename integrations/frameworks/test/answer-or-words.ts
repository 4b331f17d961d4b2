/** What `work` comes to, or the words of what it rejects with. */
export async function answerOrWords(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => `${(error as Error).name}: ${(error as Error).message}`);
}
