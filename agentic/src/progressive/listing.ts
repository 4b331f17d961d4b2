import { type Filter, type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import { readRecord } from "@membus/protocol/records";
import { kindIs } from "../kind-filter.js";
import type { Cost } from "../model/index.js";
import { ProgressiveCallSchema } from "./call-schemas.js";
import { currentMemories, IDENTITY_LABEL, type ProgressiveItem } from "./memory-record.js";
import type { MemorySpace } from "./memory-space.js";
import { memoriesIn } from "./search-memories.js";

export const ListOptionsSchema = optionSet({
  ...ProgressiveCallSchema.shape,
  /** Maximum number of memories. */
  limit: option.integer(1, 100_000).default(1_000),
});

export interface ListOptions extends OptionsOf<typeof ListOptionsSchema> {}

/** Without `targets`, the whole memory space is deleted. */
export interface DeleteAllOptions extends OptionsOf<typeof ProgressiveCallSchema> {}

export interface DeleteAllResult {
  /** Number of deleted records, including messages. */
  readonly deletedCount: number;
  /** Conversations that also have other targets. They are not deleted. */
  readonly sharedConversations: readonly string[];
  readonly cost: Cost;
}

const HISTORIES_MAX = 10_000;

/** Returns facts, experiences and guidelines, the latest first, target by target. */
export async function listMemories(
  space: MemorySpace,
  { targets, limit }: ResolvedOptionsOf<typeof ListOptionsSchema>,
): Promise<ProgressiveItem[]> {
  const where = currentMemories(["personal", "procedural", "tool"], space.meter.clock.now());
  const namespaces = targets?.map((target) => space.targetNamespace(target)) ?? [space.allTargetNamespaces];
  const memories: ProgressiveItem[] = [];
  for (const namespace of namespaces) {
    const left = limit - memories.length;
    memories.push(...memoriesIn(await space.list(namespace, { where, order: "newest", limit: left })));
  }
  return memories;
}

/**
 * Deletes memories, their targets, and the conversations without other targets. Without `targets` also the
 * guidelines for tools and the identity.
 */
export async function deleteAllMemories(
  space: MemorySpace,
  input: DeleteAllOptions,
): Promise<DeleteAllResult> {
  const { targets } = input;
  const { own, shared } = await conversationsOf(space, targets);
  let deletedCount = 0;
  for (const conversation of own)
    deletedCount += await space.forget(space.conversations, { group: conversation });
  for (const namespace of targets?.map((target) => space.targetNamespace(target)) ?? [
    space.allTargetNamespaces,
  ]) {
    deletedCount += await space.forget(namespace, {
      where: kindIs("fact", "experience", "guideline", "tool_call"),
    });
  }
  deletedCount += await space.forget(space.targets, { where: targetsNamed(targets) });
  if (targets === undefined)
    deletedCount += await space.forget(space.blocks, { match: { block: IDENTITY_LABEL } });
  return { deletedCount, sharedConversations: shared, cost: space.meter.cost };
}

function targetsNamed(targets: readonly string[] | undefined): Filter {
  if (targets === undefined) return kindIs("target");
  return { all: [kindIs("target"), { field: "metadata.name", op: "in", value: [...targets] }] };
}

/**
 * Returns the conversations with a history that have only these targets (`own`), or also others (`shared`).
 */
async function conversationsOf(
  space: MemorySpace,
  targets: readonly string[] | undefined,
): Promise<{ readonly own: string[]; readonly shared: string[] }> {
  const histories = await space.list(space.conversations, { where: kindIs("history"), limit: HISTORIES_MAX });
  const named = new Map<string, Set<string>>();
  for (const entry of histories) {
    const record = readRecord(entry, "history");
    if (record === undefined) continue;
    const { conversation } = record.content;
    const all = named.get(conversation) ?? new Set();
    const { targets: ofHistory = [] } = record.metadata;
    for (const target of ofHistory as string[]) all.add(target);
    named.set(conversation, all);
  }
  const conversations = [...named.keys()];
  if (targets === undefined) return { own: conversations, shared: [] };
  const concerns = conversations.filter((id) => targets.some((target) => named.get(id)!.has(target)));
  const isOwn = (id: string) => [...named.get(id)!].every((target) => targets.includes(target));
  return { own: concerns.filter(isOwn), shared: concerns.filter((id) => !isOwn(id)) };
}
