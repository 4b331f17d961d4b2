import type { ChatMessage } from "../model/index.js";
import type { Tool } from "../tools/index.js";
import type { LongTermMemory, QueuedRecord } from "./long-term-memory.js";
import type { RecordResult } from "./outcome.js";
import type { Recall, RecallOptions } from "./recall/recall.js";
import { recallNothing } from "./recall/recall.js";
import type { RecordOptions } from "./record-options.js";
import { agentScopeTools } from "./tool-sets/agentscope-tools.js";

/** Who takes care of memory: "static" is the program, before and after each turn; "agent" is the model, by tools. */
export type AttachMode = "static" | "agent" | "both";

export interface AttachOptions {
  /** How `before` looks. */
  readonly retrieve?: RecallOptions | undefined;
  /**
   * Whether `after` waits until everything is recorded; otherwise it is queued.
   * @default false
   */
  readonly wait?: boolean | undefined;
  /** What the model gets in the modes "agent" and "both". Absent: `agentScopeTools`. */
  readonly tools?: readonly Tool[] | undefined;
}

/** Memory as an agent's loop takes it. */
export interface AttachedMemory {
  /**
   * What is remembered of what the messages ask for: its `asText()` goes into the system prompt. In mode "agent" nothing
   * is looked for, and the text is "".
   */
  before(messages: readonly ChatMessage[]): Promise<Recall>;
  /**
   * Records what was said in a turn; in mode "agent" nothing, and the result is undefined. Where the messages are entries,
   * `sources` names them, as of `record`.
   */
  after(
    messages: readonly ChatMessage[],
    options?: Pick<RecordOptions, "sources">,
  ): Promise<RecordResult | QueuedRecord | undefined>;
  /** None in mode "static". */
  readonly tools: readonly Tool[];
}

/** Gives an agent a memory. @throws {TypeError} for another mode. */
export function attachMemory(
  memory: LongTermMemory,
  mode: AttachMode,
  { retrieve = {}, wait = false, tools }: AttachOptions = {},
): AttachedMemory {
  if (!["static", "agent", "both"].includes(mode)) {
    throw new TypeError(`mode must be static, agent or both, got ${String(mode)}`);
  }
  const isStatic = mode !== "agent";
  return {
    before: async (messages) => (isStatic ? memory.retrieve(messages, retrieve) : recallNothing()),
    after: async (messages, { sources } = {}) => {
      if (!isStatic) return undefined;
      return wait ? memory.record(messages, { sources }) : memory.record(messages, { sources, wait: false });
    },
    tools: mode === "static" ? [] : (tools ?? agentScopeTools(memory)),
  };
}
