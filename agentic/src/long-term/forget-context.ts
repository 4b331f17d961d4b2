import { type EntryInput, toMemoryError } from "@membus/agent-client";
import { type Filter, type MemoryEntry, MemoryError } from "@membus/protocol";
import { kindIs } from "../kind-filter.js";
import { readFact } from "./facts/fact.js";
import type { NamespaceView } from "./namespace-view.js";

/** Number of attempts to change an entry that other writers keep changing. */
const ATTEMPT_COUNT = 4;

/**
 * Removes every context that contains one of these facts from the other facts of its group. It is called before the facts
 * are forgotten, so that an interrupted forget can be repeated.
 * @throws {MemoryError} `conflict` if other writers keep changing the facts.
 */
export async function removeFromContexts(
  view: NamespaceView,
  forgotten: Iterable<MemoryEntry>,
): Promise<void> {
  const textsByGroup = new Map<string, string[]>();
  for (const entry of forgotten) {
    const fact = readFact(entry);
    if (fact === undefined || entry.group === undefined) continue;
    textsByGroup.set(entry.group, [...(textsByGroup.get(entry.group) ?? []), fact.text]);
  }
  for (const [group, texts] of textsByGroup) await removeFromGroup(view, group, texts);
}

async function removeFromGroup(view: NamespaceView, group: string, texts: readonly string[]): Promise<void> {
  const where: Filter = kindIs("fact");
  for (let attempt = 0; attempt < ATTEMPT_COUNT; attempt++) {
    const changed: EntryInput[] = [];
    for await (const { context, ...entry } of view.each({ group, where, include: ["context"] })) {
      const holds = context !== undefined && texts.some((text) => context.includes(text));
      if (holds) changed.push({ ...entry, context: null, if_revision: entry.revision } as EntryInput);
    }
    if (changed.length === 0) return;
    const { errors } = await view.store(changed);
    const failure = errors.find(({ code }) => code !== "conflict");
    if (failure !== undefined) throw toMemoryError(failure);
  }
  throw new MemoryError("conflict", "other writers keep changing the facts of the group: forget again");
}
