import {
  booleanOption,
  choiceOption,
  integerOption,
  isNamespace,
  type MemoryTier,
  type ResolvedOptions,
  resolveOptions,
  TIERS,
} from "@membus/protocol";
import { TASK_TYPES, type TaskType } from "./memory-record.js";

export interface ProgressiveOptions {
  /**
   * Tier of the memories. "episodic": of the agent. "semantic": shared by all agents of the tenant.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * Path before the namespaces `about/...`, `targets`, `conversations` and `blocks`, at most six segments.
   * Spaces are separate from each other. "": none.
   * @default ""
   */
  readonly memorySpace?: string | undefined;
  /**
   * Number of special agents that run concurrently, 1..32.
   * @default 4
   */
  readonly parallelMax?: number | undefined;
  /**
   * Whether memory tools take lists, see `MemoryToolOptions`.
   * @default true
   */
  readonly enableMultiple?: boolean | undefined;
  /**
   * Whether memory tools have a first parameter `thinking`.
   * @default false
   */
  readonly enableThinkingParams?: boolean | undefined;
  /**
   * Whether guidelines for tools are created and found.
   * @default true
   */
  readonly enableToolMemory?: boolean | undefined;
  /**
   * Whether the agent's identity is stored and read.
   * @default true
   */
  readonly enableIdentityMemory?: boolean | undefined;
  /**
   * Whether memories list their history as a source, and the history its messages. A forget of the messages
   * with `cascade` then deletes the memories too. False for a host without support for sources, which would
   * reject them.
   * @default true
   */
  readonly sources?: boolean | undefined;
}

export const PROGRESSIVE_DEFAULTS = Object.freeze({
  tier: "episodic",
  memorySpace: "",
  parallelMax: 4,
  enableMultiple: true,
  enableThinkingParams: false,
  enableToolMemory: true,
  enableIdentityMemory: true,
  sources: true,
} as const);

export type ResolvedProgressiveOptions = ResolvedOptions<ProgressiveOptions>;

const SPACE_SEGMENTS_MAX = 6;

/**
 * @throws {TypeError} for an unknown option (the message suggests the nearest known one) or a value out of
 * range.
 */
export function resolveProgressiveOptions(input: ProgressiveOptions): ResolvedProgressiveOptions {
  return resolveOptions<ResolvedProgressiveOptions>(input, PROGRESSIVE_DEFAULTS, {
    tier: choiceOption(...TIERS),
    memorySpace: spaceOption,
    parallelMax: integerOption(1, 32),
    enableMultiple: booleanOption,
    enableThinkingParams: booleanOption,
    enableToolMemory: booleanOption,
    enableIdentityMemory: booleanOption,
    sources: booleanOption,
  });
}

function spaceOption(value: unknown, name: string): void {
  if (value === "") return;
  if (typeof value === "string" && isNamespace(value) && value.split("/").length <= SPACE_SEGMENTS_MAX)
    return;
  throw new TypeError(
    `${name} must be a path of at most ${SPACE_SEGMENTS_MAX} segments, got ${String(value)}`,
  );
}

/** Returns the memory types of a call. Absent and "auto": all types that the options enable. */
export function typesOf(
  memoryType: "auto" | TaskType | undefined,
  { enableToolMemory, enableIdentityMemory }: ResolvedProgressiveOptions,
): TaskType[] {
  if (memoryType !== undefined && memoryType !== "auto") return [memoryType];
  return TASK_TYPES.filter(
    (type) => (type !== "tool" || enableToolMemory) && (type !== "identity" || enableIdentityMemory),
  );
}
