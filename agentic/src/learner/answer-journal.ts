import { hash } from "node:crypto";
import type { AgentMemory } from "@membus/agent-client";
import { type MemoryKey, type MemoryTier, parseErrorMessage } from "@membus/protocol";
import { z } from "zod";
import { type ChatModel, ModelError, type ModelReply, type ModelRequest } from "../model/index.js";
import { LEARNER_NAMESPACE } from "./cursors.js";

/** Longer than anybody goes on with a conversation; it is forgotten earlier, when the cursor has moved. */
const KEPT_S = 7 * 86_400;

/** What long-term memory calls the answer that says how facts stand to others; what it leaves out is new. */
const DECISIONS = "decisions";
const NO_DECISIONS = JSON.stringify({ decisions: [] });

const AnswerSchema = z.object({ text: z.string() });

const ANSWERS = { field: "metadata.kind", op: "eq", value: "learner_answer" } as const;

type AnswerKey = MemoryKey & Readonly<Record<string, string>>;

/** What is asked about, however often. */
interface Subject {
  readonly id: string;
  readonly name: string | undefined;
  readonly keys: AnswerKey[];
}

export interface AnswerJournalOptions {
  readonly tier: MemoryTier;
  readonly conversation: string;
  /** How facts stand to others is not asked: none of them is known to be about another. */
  readonly isUndecided: boolean;
}

/**
 * A model that answers the same question about a conversation the same way until it is learned, whoever asks: models
 * say things differently each time, and a batch that is done again after a kill would be learned twice.
 */
export class AnswerJournal implements ChatModel {
  readonly #memory: AgentMemory;
  readonly #options: AnswerJournalOptions;
  readonly #model: ChatModel;
  #subject: Subject = { id: "", name: undefined, keys: [] };
  #failure: ModelError | undefined;

  constructor(memory: AgentMemory, options: AnswerJournalOptions, model: ChatModel) {
    this.#memory = memory.inNamespace(LEARNER_NAMESPACE);
    this.#options = options;
    this.#model = model;
  }

  /** What was asked last is how facts stand to others. */
  get isDeciding(): boolean {
    return this.#subject.name === DECISIONS;
  }

  /** Why there was no answer, the last time that there was none. */
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
    this.#note(request, key);
    const known = await this.#read(key);
    if (known !== undefined) return known;
    if (this.isDeciding && this.#options.isUndecided) return kept(NO_DECISIONS);
    const reply = await this.#ask(request);
    return reply.finishReason === "stop" ? this.#keep(key, reply) : reply;
  }

  /** The next questions about the conversation are asked anew. */
  async forget(): Promise<void> {
    const { conversation, tier } = this.#options;
    await this.#memory.forget({ where: ANSWERS, group: conversation, tier });
  }

  /** What was asked last is asked anew; answers of before stay, as something may be written by them. */
  async forgetLast(): Promise<void> {
    const { keys } = this.#subject;
    if (keys.length > 0) await this.#memory.forget({ keys, tier: this.#options.tier });
  }

  /** A question that is asked again, with what was wrong with the answer, begins with the same message. */
  #note({ messages, schema }: ModelRequest, key: AnswerKey): void {
    const id = hash("sha256", JSON.stringify(messages[0] ?? null), "hex");
    if (this.#subject.id !== id) this.#subject = { id, name: schema?.name, keys: [] };
    this.#subject.keys.push(key);
  }

  async #ask(request: ModelRequest): Promise<ModelReply> {
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
    return parsed.success ? kept(parsed.data.text) : undefined;
  }

  /** Of two that ask at the same time, both get the answer that was kept first. */
  async #keep(key: AnswerKey, reply: ModelReply): Promise<ModelReply> {
    const { conversation, tier } = this.#options;
    const { errors } = await this.#memory.store({
      ...{ key, content: { text: reply.text }, text: "answer", tier, ttl: KEPT_S },
      ...{ metadata: { kind: "learner_answer" }, group: conversation, if_revision: 0 },
    });
    const [error] = errors;
    // One that no entry holds is used as it is.
    if (error === undefined || error.code === "too_large") return reply;
    if (error.code !== "conflict") throw parseErrorMessage(error as never);
    const first = await this.#read(key);
    return first === undefined ? reply : { ...first, usage: reply.usage };
  }
}

function kept(text: string): ModelReply {
  const usage = { inputTokens: 0, outputTokens: 0 };
  return { text, toolCalls: [], finishReason: "stop", usage };
}
