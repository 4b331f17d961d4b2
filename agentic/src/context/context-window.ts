import { type Clock, option, parseOption, parseOptions, systemClock } from "@membus/protocol";
import type { AddResult, Conversation } from "../conversation/index.js";
import { kindIs } from "../kind-filter.js";
import { type ChatMessage, type ChatModel, CostMeter } from "../model/index.js";
import { Compaction, type CompactionGoal, type CompactionState, stagesOf } from "./compaction.js";
import type {
  CompactionOutcome,
  CompactionReason,
  ContextEvent,
  ContextSize,
  Stage,
} from "./context-event.js";
import { type ContextOptions, ContextOptionsSchema, type ResolvedContextOptions } from "./context-options.js";
import { fitOptions } from "./fit-options.js";
import { type ReloadedText, reloadOffloads } from "./offload.js";
import { type Override, readCompactionState } from "./read-view.js";
import { protectedStart } from "./rounds.js";
import { loadTokenCounter, MessageCounter, type TokenCounter } from "./tokens.js";
import { allItems, type View, viewBytes, viewTokens } from "./view.js";

export interface ContextDependencies {
  /** Model that writes summaries. Absent: no summaries. */
  readonly model?: ChatModel | undefined;
  /** Absent: the tokenizer of OpenAI's newer models. */
  readonly tokenCounter?: TokenCounter | undefined;
  /** Called for each event of a compaction. It must not throw. */
  readonly onEvent?: ((event: ContextEvent) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** Messages that are sent with a window, but are not stored. */
export interface SurroundingMessages {
  /** Messages in front, such as instructions. */
  readonly before?: readonly ChatMessage[] | undefined;
  /** Messages at the end, such as a question that is stored only with its answer. */
  readonly after?: readonly ChatMessage[] | undefined;
}

export interface ContextStats {
  /** Number of completed compactions. */
  readonly compactions: number;
  /** Number of messages with cached token counts, and the hits and misses of that cache. */
  readonly counted: number;
  readonly hits: number;
  readonly misses: number;
}

/** Multiple of the threshold up to which messages are read if no model can summarize them. */
const READ_FACTOR = 2;

/** Maximum number of remembered message views. */
const OVERRIDES_MAX = 100_000;

/** Processors for a payload that is too large if the summary fails. */
const PAYLOAD_STAGES: readonly Stage[] = ["tool_truncation", "offload", "backward_packing"];

/** Default maximum number of images if a payload is too large. */
const PAYLOAD_IMAGES_MAX = 5;

const QUERY_LENGTH_MAX = 8_192;

/** Maximum number of times that a model is asked for the size of its context. */
const SIZE_QUERIES_MAX = 2;

const LimitSchema = option.integer(1, 1_000);
const ContextTokensSchema = option.integer(1, 100_000_000);

/**
 * The messages of a conversation for the model. They fit into `thresholdTokens`, unless the messages that
 * must stay unchanged already exceed it. The conversation itself keeps every message: cuts, replacements and
 * omissions exist only in this view, in summaries and in offloaded texts. `restore` undoes them.
 *
 * Calls run one after the other. Two windows on one conversation, in one process or several, share its
 * summaries.
 */
export class ContextWindow {
  readonly conversation: Conversation;
  readonly #given: ResolvedContextOptions;
  #options: ResolvedContextOptions;
  #contextTokens: number | undefined;
  #sizeQueries = 0;
  readonly #model: ChatModel | undefined;
  readonly #onEvent: (event: ContextEvent) => void;
  readonly clock: Clock;
  readonly #tokenCounter: TokenCounter | undefined;
  #counter: MessageCounter | undefined;
  /**
   * Views of messages that compactions decided on. They stay the same, because providers cannot cache a
   * prompt that changes with every call.
   */
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
    this.#given = parseOptions(ContextOptionsSchema, options);
    this.#options = this.#given;
    this.#model = model;
    this.#tokenCounter = tokenCounter;
    this.#onEvent = onEvent;
    this.clock = clock;
  }

  /** The options, with the sizes that `limitTo` has lowered. */
  get options(): ResolvedContextOptions {
    return this.#options;
  }

  /** Tokens of the model's context. undefined: unknown. */
  get contextTokens(): number | undefined {
    return this.#contextTokens;
  }

  /**
   * Limits the window to a model's context: messages take at most 60 % of it, and summaries fit too. Smaller
   * sizes of the options stay. `completeInWindow` and `streamInWindow` call it with the size that the model
   * reports.
   * @param contextTokens 1..100000000.
   * @returns false if the window already had this limit.
   */
  limitTo(contextTokens: number): boolean {
    parseOption(ContextTokensSchema, contextTokens, "contextTokens");
    if (contextTokens === this.#contextTokens) return false;
    this.#contextTokens = contextTokens;
    this.#options = fitOptions(this.#given, contextTokens);
    return true;
  }

  /**
   * Limits the window to the context that `model` reports. Asks twice at most, because some servers report it
   * only after they have loaded the model.
   */
  async readContextTokens(model: ChatModel, signal?: AbortSignal): Promise<void> {
    if (this.#contextTokens !== undefined || this.#sizeQueries >= SIZE_QUERIES_MAX) return;
    this.#sizeQueries++;
    const contextTokens = await model.contextTokens?.(signal);
    if (contextTokens !== undefined) this.limitTo(contextTokens);
  }

  /**
   * Number of tokens that a compaction aims for: `thresholdTokens` minus the fraction `minReductionRatio`
   * (`slidingHeadroom` for a sliding window).
   */
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
   * Returns copies of the messages for the model. Tool results without their call are left out.
   * @param surrounding further messages of the request, which count for its size and are included.
   * @throws {MemoryError} also if a compaction cannot store its results. The next call retries.
   */
  messages({ before = [], after = [] }: SurroundingMessages = {}): Promise<ChatMessage[]> {
    return this.#serialize(async () => {
      const state = await this.#read();
      const others = [...before, ...after].reduce((sum, one) => sum + this.#counter!.measure(one), 0);
      const needed = this.options.triggers.includes("messages") && this.#isTooLarge(state.view, others);
      const { view } = needed ? (await this.#compact(state, "threshold", this.#goal(others))).state : state;
      return structuredClone([...before, ...allItems(view).map((item) => item.view), ...after]);
    });
  }

  /** Adds messages to the conversation, then compacts the context if it is too large. */
  async add(...args: Parameters<Conversation["add"]>): Promise<AddResult> {
    const added = await this.conversation.add(...args);
    if (this.options.triggers.includes("add")) await this.compactIfNeeded();
    return added;
  }

  /**
   * Compacts the context if it is too large. @returns the result, or undefined if the context is small
   * enough.
   */
  compactIfNeeded(): Promise<CompactionOutcome | undefined> {
    return this.#serialize(async () => {
      const state = await this.#read();
      if (!this.#isTooLarge(state.view)) return undefined;
      return (await this.#compact(state, "threshold", this.#goal())).outcome;
    });
  }

  /**
   * Shrinks the context after a provider rejected it as too large. Summarizes all messages before the newest
   * rounds. If that fails, cuts, offloads and drops messages down to half the tokens, and keeps at most
   * `retainedImagesMax` (default 5) of their images.
   * @returns true if the messages have fewer bytes now. False also if there are no messages before the newest
   * rounds.
   */
  compactForPayloadError(): Promise<boolean> {
    return this.#serialize(async () => {
      const state = await this.#read();
      if (protectedStart(state.view.items, this.options.graceRounds) < 1) return false;
      const bytes = viewBytes(state.view);
      const imagesMax = this.options.retainedImagesMax ?? PAYLOAD_IMAGES_MAX;
      const goal = { targetTokens: Math.floor(viewTokens(state.view) / 2), forced: true, imagesMax };
      const compacted = await this.#compact(state, "payload", goal);
      return viewBytes(compacted.state.view) < bytes;
    });
  }

  /**
   * Returns offloaded texts: the whole text if `query` contains its key, else the most relevant parts, best
   * first. At most `limit`, 1..1000.
   * @returns an empty list if nothing matches.
   */
  async reload(query: string, { limit = 3 }: { readonly limit?: number } = {}): Promise<ReloadedText[]> {
    parseOption(LimitSchema, limit, "limit");
    return reloadOffloads(this.conversation.records, query.slice(0, QUERY_LENGTH_MAX).toWellFormed(), limit);
  }

  /** Undoes every compaction: forgets summaries and offloaded texts, and shows all messages unchanged. */
  restore(): Promise<{ readonly forgotten: number }> {
    return this.#serialize(async () => {
      this.#overrides.clear();
      return { forgotten: await this.conversation.records.forget({ where: kindIs("summary", "offload") }) };
    });
  }

  async #read(): Promise<CompactionState> {
    const { imageTokens, thresholdTokens, graceRounds, offloadTokensMin: resultTokensMax } = this.options;
    this.#counter ??= new MessageCounter(this.#tokenCounter ?? (await loadTokenCounter()), imageTokens);
    const tokensMax = this.#canSummarize ? Number.POSITIVE_INFINITY : READ_FACTOR * thresholdTokens;
    const limits = { tokensMax, resultTokensMax, graceRounds };
    return readCompactionState(this.conversation, this.#overrides, limits, this.#counter);
  }

  get #canSummarize(): boolean {
    return this.#model !== undefined && stagesOf(this.options).includes("summarization");
  }

  /** @param others tokens of the other messages of the request. */
  #isTooLarge(view: View, others = 0): boolean {
    return viewTokens(view) + others > this.options.thresholdTokens;
  }

  #goal(others = 0): CompactionGoal {
    const imagesMax = this.options.retainedImagesMax ?? Number.POSITIVE_INFINITY;
    return { targetTokens: Math.max(0, this.targetTokens - others), forced: false, imagesMax };
  }

  async #compact(state: CompactionState, reason: CompactionReason, goal: CompactionGoal) {
    const meter = new CostMeter(this.clock);
    const { id: conversation } = this.conversation;
    const event = { ...this.conversation.records.context, conversation, reason, before: sizeOf(state.view) };
    this.#onEvent({ ...event, status: "started" });
    try {
      const run = await this.#run(state, reason, goal, meter);
      this.#remember(state.view, run.state.view);
      this.#compactions++;
      const { stages, skipped } = run;
      const outcome = { after: sizeOf(run.state.view), stages, skipped, cost: meter.cost };
      this.#onEvent({ ...event, status: "completed", ...outcome });
      return { state: run.state, outcome };
    } catch (error) {
      this.#onEvent({ ...event, status: "failed", error, cost: meter.cost });
      throw error;
    }
  }

  async #run(
    state: CompactionState,
    reason: CompactionReason,
    goal: CompactionGoal,
    meter: CostMeter,
  ): Promise<Compaction> {
    const { records } = this.conversation;
    const tools = { records, options: this.options, model: this.#model, counter: this.#counter! };
    const run = new Compaction(tools, goal, state, meter);
    if (reason === "threshold") {
      await run.run(stagesOf(this.options));
      return run;
    }
    if (this.#canSummarize) await run.run(["summarization"]);
    if (run.stages.length === 0) {
      run.capImages(goal.imagesMax);
      await run.run(PAYLOAD_STAGES);
    }
    return run;
  }

  /** Remembers the view of each message until the message is changed. */
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

  async #serialize<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}

function sizeOf(view: View): ContextSize {
  return { tokens: viewTokens(view), messages: allItems(view).length };
}
