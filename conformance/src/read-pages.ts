import type { MemoryAgent, RetrieveInput, RetrieveReply } from "./memory-agent.js";

/** A cursor that leads in a circle must not hold up a check. */
const PAGES_MAX = 40;

/**
 * The pages of a retrieve, each continuing the one before it, to the one without a cursor; at most 40. What stands in
 * `between` is done after the page of that number, the first being 0.
 */
export async function readPages(
  agent: MemoryAgent,
  request: RetrieveInput,
  between: readonly ((page: RetrieveReply) => Promise<unknown>)[] = [],
): Promise<RetrieveReply[]> {
  const pages = [await agent.retrieve(request)];
  while (pages.length < PAGES_MAX) {
    const last = pages.at(-1)!;
    if (last.cursor === undefined) return pages;
    await between[pages.length - 1]?.(last);
    pages.push(await agent.retrieve({ ...request, cursor: last.cursor }));
  }
  return pages;
}
