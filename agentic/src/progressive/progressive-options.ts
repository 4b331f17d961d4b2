import { isNamespace, type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import { TASK_TYPES, type TaskType } from "./memory-record.js";

const SPACE_SEGMENTS_MAX = 6;

const SpaceSchema = option.value<string>(
  (space) =>
    space === "" ||
    (typeof space === "string" && isNamespace(space) && space.split("/").length <= SPACE_SEGMENTS_MAX),
  (space) => `must be a path of at most ${SPACE_SEGMENTS_MAX} segments, got ${String(space)}`,
);

export const ProgressiveOptionsSchema = optionSet({
  /** Tier of the memories. "episodic": of the agent. "semantic": shared by all agents of the tenant. */
  tier: option.tier().default("episodic"),
  /**
   * Path before the namespaces `about/...`, `targets`, `conversations` and `blocks`, at most six segments.
   * Spaces are separate from each other. "": none.
   */
  memorySpace: SpaceSchema.default(""),
  /** Number of special agents that run concurrently. */
  parallelMax: option.integer(1, 32).default(4),
  /** Whether memory tools take lists, see `MemoryToolOptions`. */
  enableMultiple: option.boolean().default(true),
  /** Whether memory tools have a first parameter `thinking`. */
  enableThinkingParams: option.boolean().default(false),
  /** Whether guidelines for tools are created and found. */
  enableToolMemory: option.boolean().default(true),
  /** Whether the agent's identity is stored and read. */
  enableIdentityMemory: option.boolean().default(true),
  /**
   * Whether memories list their history as a source, and the history its messages. A forget of the messages
   * with `cascade` then deletes the memories too. False for a host without support for sources, which would
   * reject them.
   */
  sources: option.boolean().default(true),
});

export interface ProgressiveOptions extends OptionsOf<typeof ProgressiveOptionsSchema> {}
export interface ResolvedProgressiveOptions extends ResolvedOptionsOf<typeof ProgressiveOptionsSchema> {}

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
