import { keyHash } from "@membus/protocol";
import { readRecord, recordEntry } from "@membus/protocol/records";
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

/** A target of memories of one type: an item of layer 0. */
export interface MemoryTarget {
  readonly memoryType: MemoryType;
  readonly memoryTarget: string;
  readonly description: string;
}

/** Maximum number of listed targets. */
const TARGETS_MAX = 500;
/** Maximum length of a target's name in UTF-16 code units. */
export const TARGET_LENGTH_MAX = 512;

const DESCRIPTIONS: Readonly<Record<TargetType, (name: string) => string>> = {
  personal: (name) => `facts about ${name}`,
  procedural: (name) => `experience with ${name}`,
};
export const TOOL_META = Object.freeze({
  memoryType: "tool",
  memoryTarget: TOOL_TARGET,
  description: "guidelines for tools",
} as const);
export const IDENTITY_META = Object.freeze({
  memoryType: "identity",
  memoryTarget: IDENTITY_TARGET,
  description: "identity of the agent",
} as const);

/** Returns stored targets, the latest first, optionally only those in `names`. */
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

/** Stages a target unless it exists. @returns true if it is new. */
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

/** Lists layer 0, one line each: `- personal(alice): facts about alice`. */
export function listTargets(targets: readonly MemoryTarget[]): string {
  if (targets.length === 0) return "no targets yet";
  return targets
    .map(({ memoryType, memoryTarget, description }) =>
      onOneLine(`- ${memoryType}(${memoryTarget}): ${description}`),
    )
    .join("\n");
}
