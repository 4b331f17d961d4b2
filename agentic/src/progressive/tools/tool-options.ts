import { type OptionsOf, option, optionSet, parseOptions, type ResolvedOptionsOf } from "@membus/protocol";

export const MemoryToolOptionsSchema = optionSet({
  /** Whether tools take a list if they can. False: one item per call. */
  enableMultiple: option.boolean().default(true),
  /** Whether memory tools have a first parameter `thinking`. */
  enableThinkingParams: option.boolean().default(false),
  /** Whether `add_memory` takes `when_to_use`. For tool guidelines it always takes it, as the tool's name. */
  addWhenToUse: option.boolean().default(false),
  /** Whether `add_memory` and `add_summary_memory` take `metadata`. */
  addMetadata: option.boolean().default(true),
  /** Whether `vector_retrieve_memory` adds summaries if it finds fewer than `topK` memories. */
  enableSummaryMemory: option.boolean().default(false),
  /** Whether `vector_retrieve_memory` takes `memory_type` and `memory_target`. */
  addMemoryTypeTarget: option.boolean().default(false),
  /** Maximum number of memories per query. */
  topK: option.integer(1, 1_000).default(20),
  /** Whether `read_meta_memory` lists the guidelines for tools. */
  enableToolMemory: option.boolean().default(false),
  /** Whether `read_meta_memory` lists the identity. */
  enableIdentityMemory: option.boolean().default(false),
  /** Whether `think` returns the reflection. False: it returns "noted". */
  addOutputReflection: option.boolean().default(false),
});

/** Options of the memory tools. Each tool uses those that apply to it. */
export interface MemoryToolOptions extends OptionsOf<typeof MemoryToolOptionsSchema> {}
export interface ResolvedMemoryToolOptions extends ResolvedOptionsOf<typeof MemoryToolOptionsSchema> {}

export const MEMORY_TOOL_DEFAULTS = parseOptions(MemoryToolOptionsSchema, {});
