import { booleanOption, integerOption, type ResolvedOptions, resolveOptions } from "@membus/protocol";

/** How the memory tools show themselves to a model. Each reads what concerns it. */
export interface MemoryToolOptions {
  /**
   * Tools that can do so take a list, else one thing a call.
   * @default true
   */
  readonly enableMultiple?: boolean | undefined;
  /**
   * Memory tools take the model's `thinking` first.
   * @default false
   */
  readonly enableThinkingParams?: boolean | undefined;
  /**
   * `add_memory` takes `when_to_use`. Of a tool's guideline that is the tool's name, and it always does.
   * @default false
   */
  readonly addWhenToUse?: boolean | undefined;
  /**
   * `add_memory` and `add_summary_memory` take `metadata`.
   * @default true
   */
  readonly addMetadata?: boolean | undefined;
  /**
   * `vector_retrieve_memory` falls back on summaries where it has found less than `topK`.
   * @default false
   */
  readonly enableSummaryMemory?: boolean | undefined;
  /**
   * `vector_retrieve_memory` takes `memory_type` and `memory_target`.
   * @default false
   */
  readonly addMemoryTypeTarget?: boolean | undefined;
  /**
   * Memories that a query gets, 1..1000.
   * @default 20
   */
  readonly topK?: number | undefined;
  /**
   * `read_meta_memory` lists the guidelines for tools.
   * @default false
   */
  readonly enableToolMemory?: boolean | undefined;
  /**
   * `read_meta_memory` lists the identity.
   * @default false
   */
  readonly enableIdentityMemory?: boolean | undefined;
  /**
   * `think` answers with the reflection, else with a word.
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
