import type { ChatMessage } from "../model/index.js";
import type { Tool } from "../tools/index.js";
import type { LongTermMemory, QueuedRecord } from "./long-term-memory.js";
import type { RecordOptions } from "./long-term-options.js";
import type { RecordResult } from "./outcome.js";
import type { Recall, RecallOptions } from "./recall/recall.js";
import { recallNothing } from "./recall/recall.js";
import { agentScopeTools } from "./tool-sets/agentscope-tools.js";

/**
 * Whether the program ("static", before and after each turn) or the model ("agent", by tools) uses the
 * memory.
 */
export type AttachMode = "static" | "agent" | "both";

export interface AttachOptions {
  /** Options of the retrieve in `before`. */
  readonly retrieve?: RecallOptions | undefined;
  /**
   * Whether `after` waits until everything is recorded. False: the work is queued.
   * @default false
   */
  readonly wait?: boolean | undefined;
  /** Tools for the model in the modes "agent" and "both". Absent: `agentScopeTools`. */
  readonly tools?: readonly Tool[] | undefined;
}

/** A memory in the form for an agent loop. */
export interface AttachedMemory {
  /**
   * Retrieves memories for the messages. Put `asText()` of the result into the system prompt. In mode "agent"
   * there is no query, and the text is "".
   */
  before(messages: readonly ChatMessage[]): Promise<Recall>;
  /**
   * Records the messages of a turn. In mode "agent" nothing is recorded, and the result is undefined. Without
   * a model, messages that contain only questions or "I don't know" are left out. The options have the
   * same meaning as in `record`.
   */
  after(
    messages: readonly ChatMessage[],
    options?: Pick<RecordOptions, "sources" | "group" | "at">,
  ): Promise<RecordResult | QueuedRecord | undefined>;
  /** Empty in mode "static". */
  readonly tools: readonly Tool[];
}

/** Attaches a memory to an agent loop. @throws {TypeError} for an unknown mode. */
export function attachMemory(
  memory: LongTermMemory,
  mode: AttachMode,
  { retrieve = {}, wait = false, tools }: AttachOptions = {},
): AttachedMemory {
  if (!["static", "agent", "both"].includes(mode)) {
    throw new TypeError(`mode must be "static", "agent" or "both", got ${String(mode)}`);
  }
  const isStatic = mode !== "agent";
  return {
    before: async (messages) => (isStatic ? memory.retrieve(messages, retrieve) : recallNothing()),
    after: async (messages, { sources, group, at } = {}) => {
      if (!isStatic) return undefined;
      const options = { sources, group, at, statementsOnly: true };
      return wait ? memory.record(messages, options) : memory.record(messages, { ...options, wait: false });
    },
    tools: mode === "static" ? [] : (tools ?? agentScopeTools(memory)),
  };
}
