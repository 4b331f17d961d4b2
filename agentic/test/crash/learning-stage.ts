import type { MemoryClient } from "@membus/agent-client";
import { delay, systemClock } from "@membus/protocol";
import { expect } from "vitest";
import { ChaosStage } from "../../../cli/test/crash/chaos-stage.js";
import { Chance } from "../../../cli/test/crash/kill-loop/chance.js";
import { Learner, LongTermMemory, openaiChatModel } from "../../src/index.js";
import { literal, messageTexts, say } from "../learner-fixture.js";
import { requestOf } from "../long-term-fixture.js";
import { type ReceivedChat, type ScriptedAnswer, ScriptedOpenAi } from "../scripted-openai/index.js";
import { LearningProcess } from "./learning-process.js";

/** One in this many messages is never accepted by the model. */
const POISONED_EVERY = 20;

/** Events to kill at: a request reaches the model, the model has answered one, a learner reports a batch. */
export const PROGRESS = ["request", "answer", "batch"] as const;

const isPoisoned = (text: string) => text.includes("poison");

/** Two learners, a host that can be killed, a model, and conversations of three messages each. */
export class LearningStage {
  readonly chaos: ChaosStage;
  readonly memory: MemoryClient;
  readonly learners: readonly LearningProcess[];
  readonly conversations: number;
  readonly #server: ScriptedOpenAi;
  /** Delays of the answers of the model. */
  readonly #latency = new Chance(1);
  #requestCount = 0;
  #answerCount = 0;
  #added = 0;
  readonly #said: string[] = [];

  private constructor(
    chaos: ChaosStage,
    memory: MemoryClient,
    server: ScriptedOpenAi,
    conversations: number,
  ) {
    this.chaos = chaos;
    this.memory = memory;
    this.#server = server;
    this.conversations = conversations;
    this.learners = [1, 2].map(() => new LearningProcess(server.baseUrl, chaos.url, chaos.directory));
  }

  static async open(conversations: number): Promise<LearningStage> {
    const chaos = await ChaosStage.open();
    await chaos.startHost();
    const memory = await chaos.client({ agent: "alice", retryTimeoutMs: 60_000 });
    const server = await ScriptedOpenAi.start([]);
    const stage = new LearningStage(chaos, memory, server, conversations);
    server.play(async (request) => {
      const answer = await stage.#answer(request);
      stage.#answerCount++;
      return answer;
    });
    for (const learner of stage.learners) learner.start();
    return stage;
  }

  async close(): Promise<void> {
    await Promise.all(this.learners.map((learner) => learner.kill()));
    await this.#server.stop();
    await this.chaos.close();
  }

  /** Adds two messages to one conversation, and one more to an earlier one. */
  async addMessages(): Promise<void> {
    const n = this.#added++;
    await this.#add(n, 0, 1);
    await this.#add(n - 10, 2);
  }

  async addRemainingMessages(): Promise<void> {
    while (this.#added < this.conversations + 10) await this.addMessages();
  }

  /** Resolves after `count` more events, or when there is nothing left to learn. */
  async progress(count: number, event: (typeof PROGRESS)[number]): Promise<void> {
    const goal = this.#count(event) + count;
    for (let poll = 1; this.#count(event) < goal; poll++) {
      await delay(systemClock, 5);
      this.#check();
      if (poll % 100 === 0 && (await this.#isDone())) return;
    }
  }

  /** Stops the learners when nothing is left, and expects that each message was learned once or set aside. */
  async expectEachOnce(): Promise<void> {
    expect(this.#said).toHaveLength(3 * this.conversations);
    while (!(await this.#isDone())) {
      await delay(systemClock, 200);
      this.#check();
    }
    expect(await Promise.all(this.learners.map((learner) => learner.stop()))).toEqual([0, 0]);
    const last = this.#learner();
    expect(await last.poll()).toMatchObject({ failures: 0, lost: 0, messages: 0 });

    const counts = await this.#learnedCounts();
    const healthy = this.#said.filter((text) => !isPoisoned(text));
    expect([...counts.keys()].sort()).toEqual([...healthy].sort());
    expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
    const setAside = await this.#setAside();
    expect(new Set(setAside).size).toBe(setAside.length);
    expect(setAside).toHaveLength(this.#said.length - healthy.length);
    expect(setAside.length).toBeGreaterThan(0);
    for (const { batches } of this.learners) expect(batches).toBeGreaterThan(0);
  }

  #count(event: (typeof PROGRESS)[number]): number {
    if (event === "request") return this.#requestCount;
    if (event === "answer") return this.#answerCount;
    return this.learners.reduce((sum, { batches }) => sum + batches, 0);
  }

  #check(): void {
    for (const learner of this.learners) learner.check();
  }

  async #add(conversation: number, ...messages: readonly number[]): Promise<void> {
    if (conversation < 0 || conversation >= this.conversations) return;
    const texts = messages.map((message) => {
      const word = (3 * conversation + message) % POISONED_EVERY === 7 ? "poison" : "kept";
      return `Note ${message} of chat${conversation} is ${word}`;
    });
    await say(this.memory, `chat${conversation}`, ...texts);
    this.#said.push(...texts);
  }

  async #isDone(): Promise<boolean> {
    return (await this.#learnedCounts()).size + (await this.#setAside()).length >= this.#said.length;
  }

  /**
   * Takes each message as a fact, with different words for each request, so that repeated learning is
   * detected.
   */
  async #answer(request: ReceivedChat): Promise<ScriptedAnswer> {
    this.#requestCount++;
    await delay(systemClock, this.#latency.int(40));
    const texts = messageTexts(request);
    if (texts.some(isPoisoned)) return { refusal: "I cannot talk about that" };
    if (requestOf(request).name !== "facts") return literal(request);
    const words = `in telling ${this.#requestCount}`;
    const facts = texts.map((text, n) => ({ text: `${text} ${words}`, message: n + 1, category: null }));
    return { json: { facts } };
  }

  /** Returns how often each message was learned. */
  async #learnedCounts(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for await (const { text } of new LongTermMemory(this.memory, { subject: "user" }).entries()) {
      const texts = text.replace(/ in telling \d+$/, "");
      counts.set(texts, (counts.get(texts) ?? 0) + 1);
    }
    return counts;
  }

  async #setAside(): Promise<string[]> {
    const found: string[] = [];
    for await (const { conversation, message } of this.#learner().setAside())
      found.push(`${conversation}/${message}`);
    return found;
  }

  #learner(): Learner {
    const model = openaiChatModel({ model: "scripted", baseUrl: this.#server.baseUrl });
    return new Learner(this.memory, { subject: "user", debounceMs: 0, clockSkewMsMax: 0 }, { model });
  }
}
