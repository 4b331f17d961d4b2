import { isMemoryError } from "@membus/protocol";
import { type ConversationRecords, type Summary, summaryEntry, textOf } from "../conversation/index.js";
import { type ChatModel, type CostMeter, ModelError } from "../model/index.js";
import { messageSources, newestSources } from "../sources.js";
import type { SkippedStage, Stage } from "./context-event.js";
import { PAYLOAD_BYTES_MAX, type ProcessorName, type ResolvedContextOptions } from "./context-options.js";
import { filterImages, imagesOf } from "./images.js";
import { planOffload, storeOffloads } from "./offload.js";
import { packBackward } from "./pack.js";
import { protectedStart } from "./rounds.js";
import { summarize, summarySaving } from "./summarize.js";
import { summaryItem } from "./summary-item.js";
import type { MessageCounter } from "./tokens.js";
import { truncateToolResults } from "./tool-results.js";
import { sumTokens, type View, type ViewItem, viewTokens, withView } from "./view.js";

export interface CompactionTools {
  readonly records: ConversationRecords;
  readonly options: ResolvedContextOptions;
  readonly model: ChatModel | undefined;
  readonly counter: MessageCounter;
}

/** The input and the state of a compaction: a view, with the material for its summary. */
export interface CompactionState {
  readonly view: View;
  /** Messages that earlier compactions left out. A summary of the messages around them covers them too. */
  readonly hidden: readonly ViewItem[];
  readonly summary: Summary | undefined;
  /** Messages with images that the summary keeps. */
  readonly imageMessages: readonly ViewItem[];
}

export interface CompactionGoal {
  readonly targetTokens: number;
  /** True to run every processor, however little it saves. */
  readonly forced: boolean;
  readonly imagesMax: number;
}

/** One compaction. Runs its processors in order until the view is small enough. */
export class Compaction {
  readonly stages: Stage[] = [];
  readonly skipped: SkippedStage[] = [];
  readonly #tools: CompactionTools;
  readonly #goal: CompactionGoal;
  readonly #meter: CostMeter;
  #state: CompactionState;

  constructor(tools: CompactionTools, goal: CompactionGoal, state: CompactionState, meter: CostMeter) {
    this.#tools = tools;
    this.#goal = goal;
    this.#state = state;
    this.#meter = meter;
  }

  get state(): CompactionState {
    return this.#state;
  }

  /**
   * @throws {MemoryError} if an offloaded text or the summary cannot be stored. The view then stays as it was
   * at that point.
   */
  async run(stages: readonly Stage[]): Promise<void> {
    for (const [index, stage] of stages.entries()) {
      if (viewTokens(this.#state.view) <= this.#goal.targetTokens) return;
      const reason = await this.#runStage(stage, index === stages.length - 1 || this.#goal.forced);
      if (reason === undefined) this.stages.push(stage);
      else this.skipped.push({ stage, reason });
    }
  }

  /** @returns the reason why the processor changed nothing, or undefined if it changed the view. */
  #runStage(stage: Stage, always: boolean): Promise<string | undefined> {
    switch (stage) {
      case "tool_truncation":
        return this.#truncate(always);
      case "offload":
        return this.#offload(always);
      case "summarization":
        return this.#summarize(always);
      case "backward_packing":
        return this.#pack(true);
      case "sliding_window":
        return this.#pack(false);
    }
  }

  async #truncate(always: boolean): Promise<string | undefined> {
    const { options, counter } = this.#tools;
    const { items } = this.#state.view;
    const cut = truncateToolResults(items, options, counter);
    const reason = this.#reasonToSkip(sumTokens(items) - sumTokens(cut), always);
    if (reason === undefined) this.#updateView({ items: cut });
    return reason;
  }

  async #offload(always: boolean): Promise<string | undefined> {
    const { options, counter, records } = this.#tools;
    const { items } = this.#state.view;
    const planned = planOffload(records.conversation, items, options, counter);
    const reason = this.#reasonToSkip(sumTokens(items) - sumTokens(planned.items), always);
    if (reason !== undefined) return reason;
    this.#meter.written(await storeOffloads(records, planned.offloads));
    const offloaded = new Set(planned.offloads.map(({ message }) => message));
    return this.#unlessChanged(
      items.filter(({ id }) => offloaded.has(id)),
      () => this.#updateView({ items: planned.items }),
    );
  }

  async #summarize(always: boolean): Promise<string | undefined> {
    const { model, options } = this.#tools;
    if (model === undefined) return "there is no model";
    const { items } = this.#state.view;
    const start = protectedStart(items, options.graceRounds);
    if (start < 1) return "there are no messages before the newest rounds";
    const reason = this.#reasonToSkip(summarySaving(items.slice(0, start), options.summaryTokensMax), always);
    if (reason !== undefined) return reason;
    try {
      return await this.#replaceBySummary(model, start);
    } catch (error) {
      if (error instanceof ModelError) return `the model failed: ${error.message}`;
      if (isMemoryError(error) && error.code === "too_large")
        return `the summary cannot be stored: ${error.message}`;
      throw error;
    }
  }

  async #replaceBySummary(model: ChatModel, start: number): Promise<string | undefined> {
    const { records, options, counter } = this.#tools;
    const { view, hidden, imageMessages, summary: previous } = this.#state;
    const shown = view.items.slice(0, start);
    const until = shown.at(-1)!.seq;
    const replaced = [...shown, ...hidden.filter(({ seq }) => seq < until)].sort((a, b) => a.seq - b.seq);
    const instruction = options.includeOriginalInstruction && view.system ? textOf(view.system.raw) : "";
    const ids = replaced.map(({ id }) => id);
    const named = [...(previous?.sources ?? []), ...messageSources(records.conversation, ids)];
    const task = { items: replaced, sources: newestSources(named), previous, instruction, imageMessages };
    const summary = await summarize(model, task, this.#summaryLimits(), this.#meter);
    const kept = [...imageMessages, ...replaced].filter(({ id }) =>
      summary.images.some(({ message }) => message === id),
    );
    const item = summaryItem(summary, kept, counter.measure);
    if (item.tokens >= sumTokens(shown) + (view.summary?.tokens ?? 0)) return "the summary is not shorter";
    await records.store([summaryEntry(records.conversation, summary)]);
    this.#meter.written(1);
    return this.#unlessChanged(replaced, () => {
      const items = view.items.slice(start);
      const left = hidden.filter(({ seq }) => seq > until);
      this.#state = { view: { ...view, summary: item, items }, hidden: left, summary, imageMessages: kept };
    });
  }

  /**
   * Applies a result derived from messages, or forgets it if the messages were changed or removed since they
   * were read. A caller that removes a message forgets its derived entries afterwards. So at least one of the
   * two sees the other's change.
   */
  async #unlessChanged(messages: readonly ViewItem[], then: () => void): Promise<string | undefined> {
    if (await this.#tools.records.areUnchanged(messages)) {
      then();
      return undefined;
    }
    this.#meter.written(await this.#tools.records.forgetDerived(messages));
    return "the messages were changed concurrently";
  }

  /** Keeps at most `max` images before the newest rounds, the newest ones. */
  capImages(max: number): void {
    const { options, counter } = this.#tools;
    const { items } = this.#state.view;
    const start = protectedStart(items, options.graceRounds);
    let left = max;
    const capped = items
      .slice(0, start)
      .reverse()
      .map((item) => {
        const images = imagesOf(item.view).length;
        const kept = Math.min(left, images);
        left -= kept;
        const view = filterImages(item.view, (index) => index >= images - kept);
        return withView(item, view, counter.measure);
      });
    this.#updateView({ items: [...capped.reverse(), ...items.slice(start)] });
  }

  #summaryLimits() {
    const { options } = this.#tools;
    return {
      summaryTokensMax: options.summaryTokensMax,
      inputTokensMax: options.summaryInputTokensMax || options.thresholdTokens * 1.25,
      includeImages: options.includeImages,
      imagesMax: this.#goal.imagesMax,
      imageBytesMax: PAYLOAD_BYTES_MAX[options.provider] / 2,
    };
  }

  async #pack(gaps: boolean): Promise<string | undefined> {
    const { graceRounds } = this.#tools.options;
    const { view } = this.#state;
    const packed = packBackward(view, { targetTokens: this.#goal.targetTokens, graceRounds, gaps });
    if (packed.items.length === view.items.length && packed.summary === view.summary) {
      return "only messages that must stay are left";
    }
    this.#updateView(packed);
    return undefined;
  }

  #reasonToSkip(saving: number, always: boolean): string | undefined {
    const { minReductionRatio, thresholdTokens } = this.#tools.options;
    if (saving <= 0) return "it would save nothing";
    const isEnough = always || saving >= minReductionRatio * thresholdTokens;
    return isEnough ? undefined : `it would save only ${Math.round(saving)} tokens`;
  }

  #updateView(part: Partial<View>): void {
    this.#state = { ...this.#state, view: { ...this.#state.view, ...part } };
  }
}

/** Returns the processors of a window, in their order. */
export function stagesOf({ mode, processors, excludedProcessors }: ResolvedContextOptions): readonly Stage[] {
  if (mode === "sliding_window") return ["sliding_window"];
  return processors.filter((name: ProcessorName) => !excludedProcessors.includes(name));
}
