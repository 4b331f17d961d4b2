import { hash } from "node:crypto";
import type { AgentMemory } from "@membus/agent-client";
import { type MemoryTier, parseErrorMessage } from "@membus/protocol";
import { z } from "zod";
import type { ChatModel, ModelReply, ModelRequest } from "../model/index.js";
import { LEARNER_NAMESPACE } from "./cursors.js";

/** Longer than anybody goes on with a conversation; it is forgotten earlier, when the cursor has moved. */
const KEPT_S = 7 * 86_400;

const AnswerSchema = z.object({ text: z.string() });

const ANSWERS = { field: "metadata.kind", op: "eq", value: "learner_answer" } as const;

/**
 * A model that answers the same question about a conversation the same way until it is learned, whoever asks: models
 * say things differently each time, and a batch that is done again after a kill would be learned twice.
 */
export class AnswerJournal implements ChatModel {
  readonly #memory: AgentMemory;
  readonly #tier: MemoryTier;
  readonly #conversation: string;
  readonly #model: ChatModel;

  constructor(memory: AgentMemory, tier: MemoryTier, conversation: string, model: ChatModel) {
    this.#memory = memory.inNamespace(LEARNER_NAMESPACE);
    this.#tier = tier;
    this.#conversation = conversation;
    this.#model = model;
  }

  async complete(request: ModelRequest): Promise<ModelReply> {
    const { signal: _signal, ...question } = request;
    const key = {
      learner: "answer",
      conversation: this.#conversation,
      question: hash("sha256", JSON.stringify(question), "hex"),
    };
    const known = await this.#read(key);
    if (known !== undefined) return known;
    const reply = await this.#model.complete(request);
    return reply.finishReason === "stop" ? this.#keep(key, reply) : reply;
  }

  /** The next questions about the conversation are asked anew. */
  async forget(): Promise<void> {
    await this.#memory.forget({ where: ANSWERS, group: this.#conversation, tier: this.#tier });
  }

  async #read(key: Readonly<Record<string, string>>): Promise<ModelReply | undefined> {
    const { entries } = await this.#memory.retrieve({ keys: [key], tier: this.#tier, limit: 1 });
    const parsed = AnswerSchema.safeParse(entries[0]?.content);
    if (!parsed.success) return undefined;
    const usage = { inputTokens: 0, outputTokens: 0 };
    return { text: parsed.data.text, toolCalls: [], finishReason: "stop", usage };
  }

  /** Of two that ask at the same time, both get the answer that was kept first. */
  async #keep(key: Readonly<Record<string, string>>, reply: ModelReply): Promise<ModelReply> {
    const { errors } = await this.#memory.store({
      ...{ key, content: { text: reply.text }, text: "answer", tier: this.#tier, ttl: KEPT_S },
      ...{ metadata: { kind: "learner_answer" }, group: this.#conversation, if_revision: 0 },
    });
    const [error] = errors;
    // One that no entry holds is used as it is.
    if (error === undefined || error.code === "too_large") return reply;
    if (error.code !== "conflict") throw parseErrorMessage(error as never);
    const first = await this.#read(key);
    return first === undefined ? reply : { ...first, usage: reply.usage };
  }
}
