import type { RetrieveReply } from "./memory-agent.js";

/** The `id` of each returned key, in order: checks name what they store by it, so that a report can be read. */
export function foundIds({ entries }: Pick<RetrieveReply, "entries">): unknown[] {
  return entries.map(({ key }) => key.id);
}
