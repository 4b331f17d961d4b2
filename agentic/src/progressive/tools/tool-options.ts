import { booleanOption, integerOption, type ResolvedOptions, resolveOptions } from "@membus/protocol";

/** Options of the memory tools. Each tool uses those that apply to it. */
export interface MemoryToolOptions {
  /**
   * Whether tools take a list if they can. False: one item per call.
   * @default true
   */
  readonly enableMultiple?: boolean | undefined;
  /**
   * Whether memory tools have a first parameter `thinking`.
   * @default false
   */
  readonly enableThinkingParams?: boolean | undefined;
  /**
   * Whether `add_memory` takes `when_to_use`. For tool guidelines it always does: there it is the tool's
   * name.
   * @default false
   */
  readonly addWhenToUse?: boolean | undefined;
  /**
   * Whether `add_memory` and `add_summary_memory` take `metadata`.
   * @default true
   */
  readonly addMetadata?: boolean | undefined;
  /**
   * Whether `vector_retrieve_memory` adds summaries if it finds fewer than `topK` memories.
   * @default false
   */
  readonly enableSummaryMemory?: boolean | undefined;
  /**
   * Whether `vector_retrieve_memory` takes `memory_type` and `memory_target`.
   * @default false
   */
  readonly addMemoryTypeTarget?: boolean | undefined;
  /**
   * Maximum number of memories per query, 1..1000.
   * @default 20
   */
  readonly topK?: number | undefined;
  /**
   * Whether `read_meta_memory` lists the guidelines for tools.
   * @default false
   */
  readonly enableToolMemory?: boolean | undefined;
  /**
   * Whether `read_meta_memory` lists the identity.
   * @default false
   */
  readonly enableIdentityMemory?: boolean | undefined;
  /**
   * Whether `think` returns the reflection. False: it returns "noted".
   * @default false
   */
  readonly addOutputReflection?: boolean | undefined;
}

export const MEMORY_TOOL_DEFAULTS = Object.freeze({
  enableMultiple: true,
  enableThinkingParams: false,
  addWhenToUse: false,
  addMetadata: true,
  enableSummaryMemory: false,
  addMemoryTypeTarget: false,
  topK: 20,
  enableToolMemory: false,
  enableIdentityMemory: false,
  addOutputReflection: false,
});

export type ResolvedMemoryToolOptions = ResolvedOptions<MemoryToolOptions>;

/** @throws {TypeError} for an unknown option or a value out of range. */
export function resolveMemoryToolOptions(input: MemoryToolOptions = {}): ResolvedMemoryToolOptions {
  return resolveOptions<ResolvedMemoryToolOptions>(input, MEMORY_TOOL_DEFAULTS, {
    enableMultiple: booleanOption,
    enableThinkingParams: booleanOption,
    addWhenToUse: booleanOption,
    addMetadata: booleanOption,
    enableSummaryMemory: booleanOption,
    addMemoryTypeTarget: booleanOption,
    topK: integerOption(1, 1_000),
    enableToolMemory: booleanOption,
    enableIdentityMemory: booleanOption,
    addOutputReflection: booleanOption,
  });
}
