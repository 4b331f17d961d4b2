import { hash } from "node:crypto";
import type { AgentMemory } from "@membus/agent-client";
import { type MemoryKey, type MemoryTier, parseErrorMessage } from "@membus/protocol";
import { z } from "zod";
import { type ChatModel, ModelError, type ModelReply, type ModelRequest } from "../model/index.js";
import { LEARNER_NAMESPACE } from "./cursor-store.js";

/** Seconds until a stored answer expires. It is normally forgotten earlier, when the cursor advances. */
const TTL_S = 7 * 86_400;

/**
 * Name that long-term memory gives to the question how new facts relate to known ones. Facts that the answer
 * omits are new.
 */
const DECISIONS = "decisions";
const NO_DECISIONS = JSON.stringify({ decisions: [] });

const AnswerSchema = z.object({ text: z.string() });

const ANSWERS = { field: "metadata.kind", op: "eq", value: "learner_answer" } as const;

type AnswerKey = MemoryKey & Readonly<Record<string, string>>;

/** The current question, across its retries. */
interface CurrentQuestion {
  readonly id: string;
  readonly name: string | undefined;
  readonly keys: AnswerKey[];
}

export interface AnswerJournalOptions {
  readonly tier: MemoryTier;
  readonly conversation: string;
  /** True to skip the question how facts relate to known ones. All facts then count as new. */
  readonly skipDecisions: boolean;
  /** Throws if another learner has taken over. */
  readonly confirmLease: () => Promise<void>;
}

/**
 * A model that stores its answers about a conversation until the batch is learned, and repeats them for the
 * same question. Models answer differently each time, so a batch that is repeated after a crash would
 * otherwise be learned twice.
 */
export class AnswerJournal implements ChatModel {
  readonly #memory: AgentMemory;
  readonly #options: AnswerJournalOptions;
  readonly #model: ChatModel;
  #question: CurrentQuestion = { id: "", name: undefined, keys: [] };
  #failure: ModelError | undefined;

  constructor(memory: AgentMemory, options: AnswerJournalOptions, model: ChatModel) {
    this.#memory = memory.inNamespace(LEARNER_NAMESPACE);
    this.#options = options;
    this.#model = model;
  }

  /** Whether the last question was how new facts relate to known ones. */
  get isDeciding(): boolean {
    return this.#question.name === DECISIONS;
  }

  /** The last failure of the model. */
  get failure(): ModelError | undefined {
    return this.#failure;
  }

  async complete(request: ModelRequest): Promise<ModelReply> {
    const { signal: _signal, ...question } = request;
    const key: AnswerKey = {
      learner: "answer",
      conversation: this.#options.conversation,
      question: hash("sha256", JSON.stringify(question), "hex"),
    };
    this.#trackQuestion(request, key);
    const known = await this.#read(key);
    if (known !== undefined) return known;
    if (this.isDeciding && this.#options.skipDecisions) return storedReply(NO_DECISIONS);
    const reply = await this.#callModel(request);
    return reply.finishReason === "stop" ? this.#storeAnswer(key, reply) : reply;
  }

  /** Forgets all answers about the conversation. */
  async forget(): Promise<void> {
    const { conversation, tier } = this.#options;
    await this.#memory.forget({ where: ANSWERS, group: conversation, tier });
  }

  /**
   * Forgets the answers to the last question. Earlier answers stay, because entries may already depend on
   * them.
   */
  async forgetLast(): Promise<void> {
    const { keys } = this.#question;
    if (keys.length > 0) await this.#memory.forget({ keys, tier: this.#options.tier });
  }

  /**
   * Records the question. A retry that describes a wrong answer starts with the same first message, so it
   * counts as the same question.
   */
  #trackQuestion({ messages, schema }: ModelRequest, key: AnswerKey): void {
    const id = hash("sha256", JSON.stringify(messages[0] ?? null), "hex");
    if (this.#question.id !== id) this.#question = { id, name: schema?.name, keys: [] };
    this.#question.keys.push(key);
  }

  async #callModel(request: ModelRequest): Promise<ModelReply> {
    try {
      return await this.#model.complete(request);
    } catch (error) {
      if (error instanceof ModelError) this.#failure = error;
      throw error;
    }
  }

  async #read(key: AnswerKey): Promise<ModelReply | undefined> {
    const { entries } = await this.#memory.retrieve({ keys: [key], tier: this.#options.tier, limit: 1 });
    const parsed = AnswerSchema.safeParse(entries[0]?.content);
    return parsed.success ? storedReply(parsed.data.text) : undefined;
  }

  /**
   * Stores an answer. Of two concurrent callers, both get the answer that was stored first. Another learner may
   * have learned the batch and forgotten its answers concurrently, so a new answer needs the lease.
   */
  async #storeAnswer(key: AnswerKey, reply: ModelReply): Promise<ModelReply> {
    const { conversation, tier } = this.#options;
    const answer = {
      ...{ key, content: { text: reply.text }, text: "answer", tier, ttl: TTL_S },
      ...{ metadata: { kind: "learner_answer" }, group: conversation, if_revision: 0 },
    };
    const { errors } = await this.#memory.store(answer, { partial: true });
    const [error] = errors;
    // An answer too large for an entry is used without being stored.
    if (error !== undefined && !["conflict", "too_large"].includes(error.code))
      throw parseErrorMessage(error as never);
    const first = error?.code === "conflict" ? await this.#read(key) : undefined;
    if (first !== undefined) return { ...first, usage: reply.usage };
    await this.#options.confirmLease();
    return reply;
  }
}

function storedReply(text: string): ModelReply {
  const usage = { inputTokens: 0, outputTokens: 0 };
  return { text, toolCalls: [], finishReason: "stop", usage };
}
