import type { AgentMemory } from "@membus/agent-client";
import { type Filter, type Json, keyHash, type MemoryEntry, type MemoryTier, TIERS } from "@membus/protocol";
import { readRecord } from "@membus/protocol/records";
import { emptyIfUnavailable } from "./empty-if-unavailable.js";
import { briefOf, cutText } from "./entry-brief.js";
import { findAnywhere } from "./find-anywhere.js";
import type { BlockBrief, BlocksReply, FileFolder, FilesReply } from "./inspector-api.js";

const BLOCKS_MAX = 100;
const VALUE_LENGTH_MAX = 8_000;
const FOLDERS_MAX = 100;
const FILES_MAX = 200;

/** Lists the blocks that the agent can read, the latest change first. */
export async function listBlocks(memory: AgentMemory): Promise<BlocksReply> {
  const { entries, ...rest } = await findAnywhere(memory, { where: kindIs("block") }, BLOCKS_MAX);
  return { blocks: entries.flatMap((entry) => blockOf(entry) ?? []), ...rest };
}

function blockOf(entry: MemoryEntry): BlockBrief | undefined {
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

/** Returns the length that a block compares with its limit. */
function lengthOf(value: Json): number {
  return [...(typeof value === "string" ? value : JSON.stringify(value))].length;
}

/** Lists the files that the agent can read, by namespace. The texts are not read. */
export async function listFiles(memory: AgentMemory): Promise<FilesReply> {
  const tiers = await Promise.all(TIERS.map((tier) => foldersOf(memory, tier)));
  return {
    folders: tiers.flatMap(({ folders }) => folders),
    truncated: tiers.some((tier) => tier.truncated),
  };
}

async function foldersOf(memory: AgentMemory, tier: MemoryTier) {
  const request = { tier, where: kindIs("file") };
  const namespaces = await emptyIfUnavailable(
    memory.list({ ...request, namespace: "**", limit: FOLDERS_MAX }),
  );
  const lists = await Promise.all(
    namespaces.items.map(({ value }) =>
      memory.list({ ...request, namespace: String(value), field: "key.file", limit: FILES_MAX }),
    ),
  );
  const folders = lists.map(({ items }, n): FileFolder => {
    const files = items.map(({ value, newest }) => {
      const path = String(value);
      return { path, key_hash: keyHash({ file: path }), changed: newest };
    });
    return { tier, namespace: String(namespaces.items[n]!.value), files };
  });
  const isCut = namespaces.items.length === FOLDERS_MAX || lists.some(({ cursor }) => cursor !== undefined);
  return { folders, truncated: isCut };
}

function kindIs(kind: string): Filter {
  return { field: "metadata.kind", op: "eq", value: kind };
}

/** Routes of the view *blocks and files*. */
export const BLOCK_AND_FILE_ROUTES = { blocks: listBlocks, files: listFiles };
