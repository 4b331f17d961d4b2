import { type Clock, integerOption, systemClock } from "@membus/protocol";
import type { AddResult, Conversation } from "../conversation/index.js";
import { kindIs } from "../kind-filter.js";
import { type ChatMessage, type ChatModel, CostMeter } from "../model/index.js";
import { Compaction, type CompactionGoal, type Subject, stagesOf } from "./compaction.js";
import type {
  CompactionOutcome,
  CompactionReason,
  ContextEvent,
  ContextSize,
  Stage,
} from "./context-event.js";
import {
  type ContextOptions,
  type ResolvedContextOptions,
  resolveContextOptions,
} from "./context-options.js";
import { type ReloadedText, reloadOffloads } from "./offload.js";
import { type Override, readSubject } from "./read-view.js";
import { protectedStart } from "./rounds.js";
import { loadTokenCounter, MessageCounter, type TokenCounter } from "./tokens.js";
import { allItems, type View, viewBytes, viewTokens } from "./view.js";

export interface ContextDependencies {
  /** Writes summaries; without one there are none. */
  readonly model?: ChatModel | undefined;
  /** Absent: as OpenAI's newer models count. */
  readonly tokenCounter?: TokenCounter | undefined;
  /** Told of each compaction; it must not throw. */
  readonly onEvent?: ((event: ContextEvent) => void) | undefined;
  readonly clock?: Clock | undefined;
}

export interface ContextStats {
  /** Compactions that were completed. */
  readonly compactions: number;
  /** Messages whose tokens are known, and how often they were and were not when they were asked for. */
  readonly counted: number;
  readonly hits: number;
  readonly misses: number;
}

/** More than that of the threshold is not read, where nobody can summarise it. */
const READ_FACTOR = 2;

/** More messages' views are not remembered: they are too far back to be read. */
const OVERRIDES_MAX = 100_000;

/** What is done where a payload is too large and there is no summary. */
const PAYLOAD_STAGES: readonly Stage[] = ["tool_truncation", "offload", "backward_packing"];

/** Where a payload is too large, without an option. */
const PAYLOAD_IMAGES_MAX = 5;

const QUERY_LENGTH_MAX = 8_192;

const limitOption = integerOption(1, 1_000);

/**
 * The messages of a conversation that go to the model: within `thresholdTokens`, if those that stay as they are leave it
 * the room. The conversation keeps every message as it was said: what is cut, replaced or left out is so in this view,
 * in summaries and in offloaded texts, and `restore` undoes it.
 *
 * Calls follow one another. Two windows on one conversation, in one process or several, share its summaries.
 */
export class ContextWindow {
  readonly conversation: Conversation;
  readonly options: ResolvedContextOptions;
  readonly #model: ChatModel | undefined;
  readonly #onEvent: (event: ContextEvent) => void;
  readonly clock: Clock;
  readonly #tokenCounter: TokenCounter | undefined;
  #counter: MessageCounter | undefined;
  /** What was decided stays so: a view that changes with every call would be cached by no provider. */
  readonly #overrides = new Map<string, Override>();
  #turn: Promise<unknown> = Promise.resolve();
  #compactions = 0;

  /** @throws {TypeError} for an unknown option or a value out of range. */
  constructor(
    conversation: Conversation,
    options: ContextOptions = {},
    dependencies: ContextDependencies = {},
  ) {
    const { model, tokenCounter, onEvent = () => {}, clock = systemClock } = dependencies;
    this.conversation = conversation;
    this.options = resolveContextOptions(options);
    this.#model = model;
    this.#tokenCounter = tokenCounter;
    this.#onEvent = onEvent;
    this.clock = clock;
  }

  /** What a compaction goes down to: `thresholdTokens` less `minReductionRatio` of it. */
  get targetTokens(): number {
    const { mode, thresholdTokens, minReductionRatio, slidingHeadroom } = this.options;
    const less = mode === "sliding_window" ? slidingHeadroom : minReductionRatio;
    return Math.floor(thresholdTokens * (1 - less));
  }

  get stats(): ContextStats {
    return {
      compactions: this.#compactions,
      ...(this.#counter?.stats ?? { counted: 0, hits: 0, misses: 0 }),
    };
  }

  /**
   * The messages for the model, copies. Results of tools whose call is not there are left out.
   * @throws {MemoryError} also where a compaction cannot store what it makes: the next call tries again.
   */
  messages(): Promise<ChatMessage[]> {
    return this.#inTurn(async () => {
      const subject = await this.#read();
      const needed = this.options.triggers.includes("messages") && this.#isTooLarge(subject.view);
      const { view } = needed ? (await this.#compact(subject, "threshold", this.#goal())).subject : subject;
      return structuredClone(allItems(view).map((item) => item.view));
    });
  }

  /** Adds messages to the conversation, then compacts the context if it has grown too large. */
  async add(...args: Parameters<Conversation["add"]>): Promise<AddResult> {
    const added = await this.conversation.add(...args);
    if (this.options.triggers.includes("add")) await this.compactIfNeeded();
    return added;
  }

  /** @returns what became of it; undefined where the context is small enough. */
  compactIfNeeded(): Promise<CompactionOutcome | undefined> {
    return this.#inTurn(async () => {
      const subject = await this.#read();
      if (!this.#isTooLarge(subject.view)) return undefined;
      return (await this.#compact(subject, "threshold", this.#goal())).outcome;
    });
  }

  /**
   * Makes the context smaller after a provider found it too large: everything before the newest messages is summarised, or,
   * where that fails, cut, offloaded and left out down to half; at most 5 images of it stay, unless `retainedImagesMax` says
   * otherwise.
   * @returns true if the messages have fewer bytes now; false also where there is nothing before the newest ones.
   */
  compactForPayloadError(): Promise<boolean> {
    return this.#inTurn(async () => {
      const subject = await this.#read();
      if (protectedStart(subject.view.items, this.options.graceRounds) < 1) return false;
      const bytes = viewBytes(subject.view);
      const imagesMax = this.options.retainedImagesMax ?? PAYLOAD_IMAGES_MAX;
      const goal = { targetTokens: Math.floor(viewTokens(subject.view) / 2), forced: true, imagesMax };
      const compacted = await this.#compact(subject, "payload", goal);
      return viewBytes(compacted.subject.view) < bytes;
    });
  }

  /**
   * Offloaded text again: whole by its key, or the parts of texts that say most about a question, best first.
   * @returns nothing where there is none.
   */
  async reload(query: string, { limit = 3 }: { readonly limit?: number } = {}): Promise<ReloadedText[]> {
    limitOption(limit, "limit");
    return reloadOffloads(this.conversation.records, query.slice(0, QUERY_LENGTH_MAX).toWellFormed(), limit);
  }

  /** Undoes every compaction: forgets summaries and offloaded texts, and shows all messages as they were said. */
  restore(): Promise<{ readonly forgotten: number }> {
    return this.#inTurn(async () => {
      this.#overrides.clear();
      return { forgotten: await this.conversation.records.forget({ where: kindIs("summary", "offload") }) };
    });
  }

  async #read(): Promise<Subject> {
    const { imageTokens, thresholdTokens, graceRounds, offloadTokensMin: resultTokensMax } = this.options;
    this.#counter ??= new MessageCounter(this.#tokenCounter ?? (await loadTokenCounter()), imageTokens);
    const tokensMax = this.#summarises ? Number.POSITIVE_INFINITY : READ_FACTOR * thresholdTokens;
    const limits = { tokensMax, resultTokensMax, graceRounds };
    return readSubject(this.conversation, this.#overrides, limits, this.#counter);
  }

  get #summarises(): boolean {
    return this.#model !== undefined && stagesOf(this.options).includes("summarization");
  }

  #isTooLarge(view: View): boolean {
    return viewTokens(view) > this.options.thresholdTokens;
  }

  #goal(): CompactionGoal {
    const imagesMax = this.options.retainedImagesMax ?? Number.POSITIVE_INFINITY;
    return { targetTokens: this.targetTokens, forced: false, imagesMax };
  }

  async #compact(subject: Subject, reason: CompactionReason, goal: CompactionGoal) {
    const meter = new CostMeter(this.clock);
    const { id: conversation } = this.conversation;
    const event = { conversation, reason, before: sizeOf(subject.view) };
    this.#onEvent({ ...event, status: "started" });
    try {
      const run = await this.#run(subject, reason, goal, meter);
      this.#remember(subject.view, run.subject.view);
      this.#compactions++;
      const { stages, skipped } = run;
      const outcome = { after: sizeOf(run.subject.view), stages, skipped, cost: meter.cost };
      this.#onEvent({ ...event, status: "completed", ...outcome });
      return { subject: run.subject, outcome };
    } catch (error) {
      this.#onEvent({ ...event, status: "failed", error, cost: meter.cost });
      throw error;
    }
  }

  async #run(
    subject: Subject,
    reason: CompactionReason,
    goal: CompactionGoal,
    meter: CostMeter,
  ): Promise<Compaction> {
    const { records } = this.conversation;
    const tools = { records, options: this.options, model: this.#model, counter: this.#counter! };
    const run = new Compaction(tools, goal, subject, meter);
    if (reason === "threshold") {
      await run.run(stagesOf(this.options));
      return run;
    }
    if (this.#summarises) await run.run(["summarization"]);
    if (run.stages.length === 0) {
      run.capImages(goal.imagesMax);
      await run.run(PAYLOAD_STAGES);
    }
    return run;
  }

  /** What the view has of each message from now on, as long as that is not changed. */
  #remember(before: View, after: View): void {
    const left = new Map(after.items.map((item) => [item.id, item]));
    for (const { id, seq, revision, raw } of before.items) {
      const view = left.get(id)?.view;
      if (view !== raw) this.#overrides.set(id, { seq, revision, view });
    }
    const until = after.summary?.seq ?? 0;
    for (const [id, { seq }] of this.#overrides) {
      if (seq <= until || this.#overrides.size > OVERRIDES_MAX) this.#overrides.delete(id);
    }
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}

function sizeOf(view: View): ContextSize {
  return { tokens: viewTokens(view), messages: allItems(view).length };
}
