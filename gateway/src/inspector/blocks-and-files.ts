import type { AgentMemory } from "@membus/agent-client";
import {
  type Filter,
  isMemoryError,
  type Json,
  keyHash,
  type MemoryEntry,
  type MemoryTier,
  TIERS,
} from "@membus/protocol";
import { readRecord } from "@membus/protocol/records";
import { BoundedReads } from "./bounded-reads.js";
import { emptyIfUnavailable } from "./empty-if-unavailable.js";
import { briefOf, cutText } from "./entry-brief.js";
import { distinct, findAnywhere, namespacesAnywhere } from "./find-anywhere.js";
import type { BlockBrief, BlocksReply, FilesReply } from "./inspector-api.js";
import type { ViewDependencies, ViewRoutes } from "./view-route.js";

const BLOCKS_MAX = 100;
const VALUE_LENGTH_MAX = 8_000;
const FOLDERS_MAX = 100;
const FILES_MAX = 200;

/** Lists the blocks that the agent can read, the latest change first. */
export async function listBlocks(memory: AgentMemory): Promise<BlocksReply> {
  const { blockLength } = await import("@membus/agentic/blocks");
  const { entries, ...rest } = await findAnywhere(memory, { where: kindIs("block") }, BLOCKS_MAX);
  return { blocks: entries.flatMap((entry) => blockOf(entry, blockLength) ?? []), ...rest };
}

function blockOf(entry: MemoryEntry, lengthOf: (value: Json) => number): BlockBrief | undefined {
  const record = readRecord(entry, "block");
  if (record === undefined) return undefined;
  const { value, description, limit, read_only } = record.content;
  return {
    ...briefOf(entry),
    label: record.key.block,
    description,
    value: cutText(typeof value === "string" ? value : JSON.stringify(value, null, 2), VALUE_LENGTH_MAX),
    length: lengthOf(value),
    limit,
    read_only,
    changed: entry.timestamps.updated,
  };
}

/** Lists the files that the agent can read, by namespace. The texts are not read. */
export function filesRoute({ clock }: Pick<ViewDependencies, "clock">) {
  return async (memory: AgentMemory): Promise<FilesReply> => {
    const reads = new BoundedReads(clock, { countMax: TIERS.length * FOLDERS_MAX });
    const tiers = await Promise.all(TIERS.map((tier) => foldersOf(memory, tier, reads)));
    return {
      folders: tiers.flatMap(({ folders }) => folders),
      truncated: tiers.some(({ truncated }) => truncated),
      degraded: distinct(tiers.flatMap(({ degraded }) => degraded)),
    };
  };
}

async function foldersOf(memory: AgentMemory, tier: MemoryTier, reads: BoundedReads) {
  const { items, truncated = false, degraded = [] } = await namespacesOf(memory, tier);
  const folders = await Promise.all(
    items.map(({ value }) => reads.read(() => folderOf(memory, tier, String(value)))),
  );
  const found = folders.filter((folder) => folder !== null);
  const isCut = found.length < folders.length || found.some((folder) => folder.isCut);
  return {
    folders: found.map(({ folder }) => folder),
    truncated: truncated || isCut,
    degraded: [...degraded, ...found.flatMap((folder) => folder.degraded)],
  };
}

/** Lists the namespaces of a tier with files. A tier that does not answer is degraded. */
async function namespacesOf(memory: AgentMemory, tier: MemoryTier) {
  const request = { tier, limit: FOLDERS_MAX, where: kindIs("file") };
  try {
    return await emptyIfUnavailable(namespacesAnywhere(memory, request, ["files"]));
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    return { items: [], truncated: true, degraded: [{ tier, code: error.code, message: error.message }] };
  }
}

async function folderOf(memory: AgentMemory, tier: MemoryTier, namespace: string) {
  const request = { tier, namespace, where: kindIs("file"), field: "key.file", limit: FILES_MAX };
  const { items, cursor, degraded = [] } = await memory.list(request);
  const files = items.map(({ value, newest }) => {
    const path = String(value);
    return { path, key_hash: keyHash({ file: path }), changed: newest };
  });
  return { folder: { tier, namespace, files }, isCut: cursor !== undefined, degraded };
}

function kindIs(kind: string): Filter {
  return { field: "metadata.kind", op: "eq", value: kind };
}

/** Routes of the view *blocks and files*. */
export function blockAndFileRoutes(dependencies: Pick<ViewDependencies, "clock">): ViewRoutes {
  return { blocks: listBlocks, files: filesRoute(dependencies) };
}
