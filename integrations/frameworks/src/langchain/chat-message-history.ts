import { BaseListChatMessageHistory } from "@langchain/core/chat_history";
import type { BaseMessage } from "@langchain/core/messages";
import type { AgentMemory } from "@membus/agent-client";
import { openConversation } from "@membus/agentic";
import type { MemoryTier } from "@membus/protocol";
import { type HistoryOptions, resolveHistoryOptions } from "./history-options.js";
import { fromChatMessage, toChatMessage } from "./message-form.js";

/**
 * LangChain's chat history as a conversation of membus: any number of processes may add to it, all read one order, and
 * what learns from conversations learns from this one.
 *
 * Every method throws `MemoryError` for what the bus or the host reports.
 */
export class MembusChatMessageHistory extends BaseListChatMessageHistory {
  lc_namespace = ["membus", "chat_history"];
  readonly #memory: AgentMemory;
  readonly #conversation: { readonly id: string; readonly tier: MemoryTier };

  /** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
  constructor(memory: AgentMemory, options: HistoryOptions) {
    super();
    const { sessionId, tier } = resolveHistoryOptions(options);
    this.#memory = memory;
    this.#conversation = { id: sessionId, tier };
  }

  /** All messages, oldest first: new objects, which change nothing when they are changed. */
  override async getMessages(): Promise<BaseMessage[]> {
    const conversation = await this.#open();
    return (await conversation.messages()).map(fromChatMessage);
  }

  override async addMessage(message: BaseMessage): Promise<void> {
    await this.addMessages([message]);
  }

  /**
   * Adds messages behind those that are there, in one request where they fit one.
   * @throws {TypeError} for one that LangChain could not read again: then none is added.
   */
  override async addMessages(messages: BaseMessage[]): Promise<void> {
    const conversation = await this.#open();
    await conversation.add(messages.map(toChatMessage));
  }

  /** Forgets all messages, and summaries that were made of them. */
  override async clear(): Promise<void> {
    const conversation = await this.#open();
    await conversation.clear();
  }

  /** Sends nothing. */
  #open() {
    return openConversation(this.#memory, this.#conversation);
  }
}
