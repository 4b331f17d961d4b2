import { BaseListChatMessageHistory } from "@langchain/core/chat_history";
import type { BaseMessage } from "@langchain/core/messages";
import type { AgentMemory } from "@membus/agent-client";
import { openConversation } from "@membus/agentic";
import { LIMITS, type MemoryTier, type OptionsOf, option, optionSet, parseOptions } from "@membus/protocol";
import { fromChatMessage, toChatMessage } from "./message-form.js";

export const HistoryOptionsSchema = optionSet({
  /** Id of the conversation. All writers with this id share it. */
  sessionId: option.shortText(LIMITS.idLength),
  /**
   * "semantic" for histories that all agents of the tenant share, "working" for data that need not survive a
   * restart of the host.
   */
  tier: option.tier().default("episodic"),
});

export interface HistoryOptions extends OptionsOf<typeof HistoryOptionsSchema> {}

/**
 * LangChain's chat history as a conversation of membus. Any number of processes may add messages, and all
 * read the same order. Learners learn from it like from any conversation.
 *
 * Methods throw `MemoryError` for errors of the bus or the host.
 */
export class MembusChatMessageHistory extends BaseListChatMessageHistory {
  lc_namespace = ["membus", "chat_history"];
  readonly #memory: AgentMemory;
  readonly #conversation: { readonly id: string; readonly tier: MemoryTier };

  /** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
  constructor(memory: AgentMemory, options: HistoryOptions) {
    super();
    const { sessionId, tier } = parseOptions(HistoryOptionsSchema, options);
    this.#memory = memory;
    this.#conversation = { id: sessionId, tier };
  }

  /** Returns all messages as copies, oldest first. */
  override async getMessages(): Promise<BaseMessage[]> {
    const conversation = await this.#open();
    return (await conversation.messages()).map(fromChatMessage);
  }

  override async addMessage(message: BaseMessage): Promise<void> {
    await this.addMessages([message]);
  }

  /**
   * Appends messages, in one request if they fit.
   * @throws {TypeError} for a message that LangChain could not read again. Then none is added.
   */
  override async addMessages(messages: BaseMessage[]): Promise<void> {
    const conversation = await this.#open();
    await conversation.add(messages.map(toChatMessage));
  }

  /** Forgets all messages and their summaries. */
  override async clear(): Promise<void> {
    const conversation = await this.#open();
    await conversation.clear();
  }

  /** Opens the conversation without a request. */
  #open() {
    return openConversation(this.#memory, this.#conversation);
  }
}
