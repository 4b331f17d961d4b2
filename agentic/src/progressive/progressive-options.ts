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
   * Where memories are kept: "episodic" is the agent's own, "semantic" every agent's of the tenant.
   * @default "episodic"
   */
  readonly tier?: MemoryTier | undefined;
  /**
   * Path before the namespaces `about/...`, `targets`, `conversations` and `blocks`, at most six segments: two spaces know
   * nothing of each other. "": none.
   * @default ""
   */
  readonly memorySpace?: string | undefined;
  /**
   * Agents that are handed tasks and work at the same time, 1..32.
   * @default 4
   */
  readonly parallelMax?: number | undefined;
  /**
   * Memory tools take lists; see `MemoryToolOptions`.
   * @default true
   */
  readonly enableMultiple?: boolean | undefined;
  /**
   * Memory tools take the model's `thinking` first.
   * @default false
   */
  readonly enableThinkingParams?: boolean | undefined;
  /**
   * Guidelines for tools are made and found.
   * @default true
   */
  readonly enableToolMemory?: boolean | undefined;
  /**
   * Who the agent is, is kept and read.
   * @default true
   */
  readonly enableIdentityMemory?: boolean | undefined;
}

export const PROGRESSIVE_DEFAULTS = Object.freeze({
  tier: "episodic",
  memorySpace: "",
  parallelMax: 4,
  enableMultiple: true,
  enableThinkingParams: false,
  enableToolMemory: true,
  enableIdentityMemory: true,
} as const);

export type ResolvedProgressiveOptions = ResolvedOptions<ProgressiveOptions>;

const SPACE_SEGMENTS_MAX = 6;

/** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
export function resolveProgressiveOptions(input: ProgressiveOptions): ResolvedProgressiveOptions {
  return resolveOptions<ResolvedProgressiveOptions>(input, PROGRESSIVE_DEFAULTS, {
    tier: choiceOption(...TIERS),
    memorySpace: spaceOption,
    parallelMax: integerOption(1, 32),
    enableMultiple: booleanOption,
    enableThinkingParams: booleanOption,
    enableToolMemory: booleanOption,
    enableIdentityMemory: booleanOption,
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

/** The types of memory that a call is about; absent and "auto": all that the options do not leave out. */
export function typesOf(
  memoryType: "auto" | TaskType | undefined,
  { enableToolMemory, enableIdentityMemory }: ResolvedProgressiveOptions,
): TaskType[] {
  if (memoryType !== undefined && memoryType !== "auto") return [memoryType];
  return TASK_TYPES.filter(
    (type) => (type !== "tool" || enableToolMemory) && (type !== "identity" || enableIdentityMemory),
  );
}
