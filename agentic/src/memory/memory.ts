import type { AgentMemory } from "@membus/agent-client";
import { type Clock, parseOption, parseOptions, systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { withBudget } from "../budget/index.js";
import { ContextWindow, loadTokenCounter, type TokenCounter } from "../context/index.js";
import {
  type Conversation,
  type ConversationMessage,
  type NewMessage,
  openConversation,
} from "../conversation/index.js";
import { attachMemory, type LongTermItem, LongTermMemory, type RecordOutcome } from "../long-term/index.js";
import { type ChatMessage, type ChatModel, type Cost, ModelError, sumCosts } from "../model/index.js";
import { messageSources } from "../sources.js";
import { type ForgetUserOptions, type ForgetUserReceipt, forgetUser } from "./forget-user.js";
import {
  type AddToMemoryOptions,
  AddToMemoryOptionsSchema,
  type HistoryOptions,
  HistoryOptionsSchema,
  type MemoryOptions,
  MemoryOptionsSchema,
  type ResolvedMemoryOptions,
  type SearchMemoryOptions,
  SearchMemoryOptionsSchema,
  UserSchema,
  userSubject,
} from "./memory-options.js";
import { promptContext } from "./prompt-context.js";
import { type RenameUserReceipt, renameUser } from "./rename-user.js";

export interface MemoryDependencies {
  /** Model that extracts facts from messages and summarizes long conversations. Absent: neither. */
  readonly model?: ChatModel | undefined;
  /** Absent: the tokenizer of OpenAI's newer models. */
  readonly tokenCounter?: TokenCounter | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** Logs failures in the background. Absent: no log. */
  readonly logger?: Logger | undefined;
}

/** Texts are facts. Messages are a part of the user's conversation. */
export type MemoryInput = string | ChatMessage | NewMessage;

/** Result of `add`. */
export interface AddedToMemory {
  /** Ids of the messages, in their order. */
  readonly messageIds: readonly string[];
  /** The outcome of each fact. Empty if the work is queued. */
  readonly facts: readonly RecordOutcome[];
  /** Ids of queued work, for `LongTermMemory.status`. */
  readonly queued: readonly string[];
  /** Tokens, price and state of the budget. The calls of queued work, and those that failed, are not included. */
  readonly cost: Cost;
  /** Failure of the model that caused the work to be queued, such as "over_budget". Absent: none. */
  readonly degraded?: ModelError | undefined;
}

/** Maximum number of users with background work in this process. */
const USERS_MAX = 1_000;

/**
 * Memory of an agent about its users. Each user has facts and one conversation. Users never share memories.
 *
 * Facts are kept by `LongTermMemory` with the subject `user:<user>`, messages by `Conversation` with the same
 * id. Both can be opened beside it.
 *
 * Every method throws `MemoryError` for failures of the bus or the host. It throws `TypeError` for a wrong
 * argument, before it sends anything.
 */
export class Memory {
  readonly #client: AgentMemory;
  readonly #options: ResolvedMemoryOptions;
  readonly #dependencies: MemoryDependencies;
  readonly #clock: Clock;
  readonly #users = new Map<string, LongTermMemory>();

  /** @throws {TypeError} for an unknown option or a value out of range. */
  constructor(client: AgentMemory, options: MemoryOptions = {}, dependencies: MemoryDependencies = {}) {
    this.#client = client;
    this.#options = parseOptions(MemoryOptionsSchema, options);
    this.#dependencies = { ...dependencies, model: this.#limited(dependencies) };
    this.#clock = dependencies.clock ?? systemClock;
  }

  /**
   * Adds texts as facts about a user, or messages to the user's conversation. With a model, facts are
   * extracted from messages. If the model fails or the budget is used up, this work is queued and done later, so no
   * message is lost. The result then has `degraded`.
   * Without a model, the messages of the user become facts. A message with an `id` that exists is not added
   * again.
   */
  async add(
    input: MemoryInput | readonly MemoryInput[],
    options: AddToMemoryOptions,
  ): Promise<AddedToMemory> {
    const { user, wait } = parseOptions(AddToMemoryOptionsSchema, options);
    const inputs = (Array.isArray(input) ? input : [input]) as readonly MemoryInput[];
    const texts = inputs.filter((one) => typeof one === "string");
    const messages = inputs.filter((one) => typeof one !== "string");
    const messageIds =
      messages.length === 0 ? [] : (await (await this.#conversation(user)).add(messages)).ids;
    const learned = await this.#learn(user, { texts, messages: messages.map(toMessage), messageIds }, wait);
    return { messageIds, ...learned };
  }

  /** Returns the facts about a user that match a query, best first. Empty if none is related. */
  async search(query: string, options: SearchMemoryOptions): Promise<readonly LongTermItem[]> {
    const { user, limit } = parseOptions(SearchMemoryOptionsSchema, options);
    return (await this.#facts(user).retrieve(query, { limit })).memories;
  }

  /** Returns the messages of a user, oldest first. */
  async history(user: string, options: HistoryOptions = {}): Promise<ConversationMessage[]> {
    const { last } = parseOptions(HistoryOptionsSchema, options);
    return (await this.#conversation(user)).get({ last });
  }

  /**
   * Returns the messages for a model: related facts in a system message, then earlier messages of the user,
   * then `messages`. Together they have at most `contextTokensMax` tokens. Long histories are summarized by the
   * model, or cut without one. Messages that are in the history already are not repeated.
   * @throws {MemoryError} `too_large` if `messages` exceed the limit.
   */
  async context(user: string, messages: readonly ChatMessage[]): Promise<ChatMessage[]> {
    const { contextTokensMax, contextFactsMax } = this.#options;
    const { model, tokenCounter } = this.#dependencies;
    const conversation = await this.#conversation(user);
    const limit = Math.max(1, contextFactsMax);
    const memory = attachMemory(this.#facts(user), "static", { retrieve: { limit } });
    const recall = await memory.before(contextFactsMax === 0 ? [] : messages);
    const openWindow = (thresholdTokens: number) =>
      new ContextWindow(conversation, { thresholdTokens }, { model, tokenCounter, clock: this.#clock });
    const count = tokenCounter ?? (await loadTokenCounter());
    return promptContext(messages, contextTokensMax, { recall, openWindow, count });
  }

  /**
   * Forgets a user in all tiers that the agent sees, as `forgetUser` does. Background work of the user stops.
   * @returns the numbers of deleted entries, and what remains with the reason.
   */
  async forget(user: string, options: ForgetUserOptions = {}): Promise<ForgetUserReceipt> {
    await this.#release(user);
    return forgetUser(this.#client, user, options);
  }

  /**
   * Renames a user, as `renameUser` does. Background work of the user stops, and queued work moves.
   * @throws {MemoryError} `conflict` if there are memories of a user with the new name.
   */
  async rename(user: string, to: string): Promise<RenameUserReceipt> {
    await this.#release(user);
    return renameUser(this.#client, user, to);
  }

  /** Resolves when no background work is running. */
  async settled(): Promise<void> {
    await Promise.all([...this.#users.values()].map((facts) => facts.settled()));
  }

  /** Stops background work. Queued work stays queued. The client stays open. */
  async close(): Promise<void> {
    await Promise.all([...this.#users.values()].map((facts) => facts.close()));
    this.#users.clear();
  }

  #limited({ model, ...dependencies }: MemoryDependencies): ChatModel | undefined {
    const { budget } = this.#options;
    if (model === undefined || budget === undefined) return model;
    return withBudget(model, this.#client, budget, dependencies);
  }

  async #learn(
    user: string,
    { texts, messages, messageIds }: NewMemories,
    wait: boolean,
  ): Promise<Omit<AddedToMemory, "messageIds">> {
    const facts = this.#facts(user);
    const sources = messageSources(userSubject(user), messageIds);
    const record = async (waits: boolean) => {
      const stated =
        texts.length === 0
          ? undefined
          : await (waits ? facts.record(texts) : facts.record(texts, { wait: false }));
      const memory = attachMemory(facts, "static", { wait: waits });
      const heard = messages.length === 0 ? undefined : await memory.after(messages, { sources });
      return [stated, heard].filter((one) => one !== undefined);
    };
    let degraded = undefined as ModelError | undefined;
    const results = await record(wait).catch((error: unknown) => {
      if (!wait || !(error instanceof ModelError)) throw error;
      degraded = error;
      return record(false);
    });
    const { budget } = degraded ?? {};
    const cost = { ...sumCosts(results.map((one) => one.cost)), ...(budget !== undefined && { budget }) };
    return {
      facts: results.flatMap((one) => ("outcomes" in one ? one.outcomes : [])),
      queued: results.flatMap((one) => ("eventIds" in one ? one.eventIds : [])),
      cost,
      ...(degraded !== undefined && { degraded }),
    };
  }

  async #release(user: string): Promise<void> {
    const subject = userSubject(parseOption(UserSchema, user, "user"));
    await this.#users.get(subject)?.close();
    this.#users.delete(subject);
  }

  #conversation(user: string): Promise<Conversation> {
    const id = userSubject(parseOption(UserSchema, user, "user"));
    return openConversation(this.#client, { id, tier: this.#options.tier }, { clock: this.#clock });
  }

  /** Returns the facts about a user. The oldest of 1,000 users stops its background work. */
  #facts(user: string): LongTermMemory {
    const subject = userSubject(parseOption(UserSchema, user, "user"));
    const known = this.#users.get(subject);
    if (known !== undefined) return known;
    const { model, clock, logger } = this.#dependencies;
    const facts = new LongTermMemory(
      this.#client,
      { subject, tier: this.#options.tier },
      { model, clock, logger },
    );
    this.#users.set(subject, facts);
    const [oldest] = this.#users;
    if (this.#users.size > USERS_MAX && oldest !== undefined) {
      this.#users.delete(oldest[0]);
      void oldest[1].close();
    }
    return facts;
  }
}

interface NewMemories {
  readonly texts: readonly string[];
  readonly messages: readonly ChatMessage[];
  readonly messageIds: readonly string[];
}

function toMessage(message: ChatMessage | NewMessage): ChatMessage {
  return "role" in message ? message : message.message;
}
