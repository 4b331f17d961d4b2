import { keyHash, readRecord, recordEntry } from "@membus/protocol";
import { kindIs } from "../kind-filter.js";
import type { Draft } from "./draft.js";
import {
  IDENTITY_TARGET,
  type MemoryType,
  TARGET_TYPES,
  type TargetType,
  TOOL_TARGET,
} from "./memory-record.js";
import type { MemorySpace } from "./memory-space.js";
import { onOneLine } from "./quote.js";

/** What memories can be about, of one type: an item of layer 0. */
export interface MemoryTarget {
  readonly memoryType: MemoryType;
  readonly memoryTarget: string;
  readonly description: string;
}

/** Targets that are listed, the latest first. */
const TARGETS_MAX = 500;
/** UTF-16 code units of a target's name. */
export const TARGET_LENGTH_MAX = 512;

const DESCRIPTIONS: Readonly<Record<TargetType, (name: string) => string>> = {
  personal: (name) => `what is known about ${name}`,
  procedural: (name) => `how to go about ${name}`,
};
export const TOOL_META = Object.freeze({
  memoryType: "tool",
  memoryTarget: TOOL_TARGET,
  description: "how tools are best used",
} as const);
export const IDENTITY_META = Object.freeze({
  memoryType: "identity",
  memoryTarget: IDENTITY_TARGET,
  description: "who the agent is",
} as const);

/** Targets that are stored, the latest first; of `names` alone where that is given. */
export async function readTargets(space: MemorySpace, names?: readonly string[]): Promise<MemoryTarget[]> {
  const entries = await space.list(space.targets, {
    where: kindIs("target"),
    limit: TARGETS_MAX,
  });
  const targets = entries.flatMap((entry) => {
    const record = readRecord(entry, "target");
    const type = TARGET_TYPES.find((known) => known === record?.key.target);
    if (record === undefined || type === undefined) return [];
    return { memoryType: type, memoryTarget: record.key.name, description: record.content.description };
  });
  return names === undefined ? targets : targets.filter(({ memoryTarget }) => names.includes(memoryTarget));
}

/** Stages a target that is not there yet. True if it was not. */
export async function addTarget(draft: Draft, type: TargetType, name: string): Promise<boolean> {
  const { space } = draft;
  const key = { target: type, name };
  const memoryId = keyHash(key);
  if ((await draft.read(space.targets, [memoryId])).has(memoryId)) return false;
  const content = { description: DESCRIPTIONS[type](name) };
  const entry = recordEntry({ kind: "target", key, content, metadata: { type, name } });
  draft.write(space.targets, { entry: entry, revision: 0 });
  return true;
}

/** Layer 0, a line each: `- personal(alice): what is known about alice`. */
export function listTargets(targets: readonly MemoryTarget[]): string {
  if (targets.length === 0) return "no targets yet";
  return targets
    .map(({ memoryType, memoryTarget, description }) =>
      onOneLine(`- ${memoryType}(${memoryTarget}): ${description}`),
    )
    .join("\n");
}
