import { isMemoryError } from "@membus/protocol";
import { type ConversationRecords, type Summary, summaryEntry, textOf } from "../conversation/index.js";
import { type ChatModel, type CostMeter, ModelError } from "../model/index.js";
import { messageSources, newestSources } from "../sources.js";
import type { SkippedStage, Stage } from "./context-event.js";
import { PAYLOAD_BYTES_MAX, type ProcessorName, type ResolvedContextOptions } from "./context-options.js";
import { imagesOf, leavingOutImages } from "./images.js";
import { planOffload, storeOffloads } from "./offload.js";
import { packBackward } from "./pack.js";
import { protectedStart } from "./rounds.js";
import { summarize, summarySaving } from "./summarize.js";
import { summaryItem } from "./summary-item.js";
import type { MessageCounter } from "./tokens.js";
import { truncateToolResults } from "./tool-results.js";
import { sumTokens, type View, type ViewItem, viewedAs, viewTokens } from "./view.js";

export interface CompactionTools {
  readonly records: ConversationRecords;
  readonly options: ResolvedContextOptions;
  readonly model: ChatModel | undefined;
  readonly counter: MessageCounter;
}

/** What is compacted: a view, with what its summary is made of. */
export interface Subject {
  readonly view: View;
  /** Messages that earlier compactions left out. A summary of what is around them is of them, too. */
  readonly hidden: readonly ViewItem[];
  readonly summary: Summary | undefined;
  /** Messages whose images the summary keeps. */
  readonly pictured: readonly ViewItem[];
}

export interface CompactionGoal {
  readonly targetTokens: number;
  /** Runs every processor, whatever it is to save. */
  readonly forced: boolean;
  readonly imagesMax: number;
}

/** One compaction: its processors one after the other, until the view is small enough. */
export class Compaction {
  readonly stages: Stage[] = [];
  readonly skipped: SkippedStage[] = [];
  readonly #tools: CompactionTools;
  readonly #goal: CompactionGoal;
  readonly #meter: CostMeter;
  #subject: Subject;

  constructor(tools: CompactionTools, goal: CompactionGoal, subject: Subject, meter: CostMeter) {
    this.#tools = tools;
    this.#goal = goal;
    this.#subject = subject;
    this.#meter = meter;
  }

  get subject(): Subject {
    return this.#subject;
  }

  /** @throws {MemoryError} where what was offloaded, or the summary, cannot be stored: the view is as it was then. */
  async run(stages: readonly Stage[]): Promise<void> {
    for (const [index, stage] of stages.entries()) {
      if (viewTokens(this.#subject.view) <= this.#goal.targetTokens) return;
      const why = await this.#runStage(stage, index === stages.length - 1 || this.#goal.forced);
      if (why === undefined) this.stages.push(stage);
      else this.skipped.push({ stage, why });
    }
  }

  /** @returns why it has changed nothing; undefined where it has. */
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
    const { items } = this.#subject.view;
    const cut = truncateToolResults(items, options, counter);
    const why = this.#tooLittle(sumTokens(items) - sumTokens(cut), always);
    if (why === undefined) this.#show({ items: cut });
    return why;
  }

  async #offload(always: boolean): Promise<string | undefined> {
    const { options, counter, records } = this.#tools;
    const { items } = this.#subject.view;
    const planned = planOffload(records.conversation, items, options, counter);
    const why = this.#tooLittle(sumTokens(items) - sumTokens(planned.items), always);
    if (why !== undefined) return why;
    this.#meter.written(await storeOffloads(records, planned.offloads));
    const offloaded = new Set(planned.offloads.map(({ message }) => message));
    return this.#unlessChanged(
      items.filter(({ id }) => offloaded.has(id)),
      () => this.#show({ items: planned.items }),
    );
  }

  async #summarize(always: boolean): Promise<string | undefined> {
    const { model, options } = this.#tools;
    if (model === undefined) return "there is no model";
    const { items } = this.#subject.view;
    const start = protectedStart(items, options.graceRounds);
    if (start < 1) return "there is nothing before the newest messages";
    const why = this.#tooLittle(summarySaving(items.slice(0, start), options.summaryTokensMax), always);
    if (why !== undefined) return why;
    try {
      return await this.#replaceBySummary(model, start);
    } catch (error) {
      if (error instanceof ModelError) return `the model: ${error.message}`;
      if (isMemoryError(error) && error.code === "too_large") return `the summary: ${error.message}`;
      throw error;
    }
  }

  async #replaceBySummary(model: ChatModel, start: number): Promise<string | undefined> {
    const { records, options, counter } = this.#tools;
    const { view, hidden, pictured, summary: previous } = this.#subject;
    const shown = view.items.slice(0, start);
    const until = shown.at(-1)!.seq;
    const replaced = [...shown, ...hidden.filter(({ seq }) => seq < until)].sort((a, b) => a.seq - b.seq);
    const instruction = options.includeOriginalInstruction && view.system ? textOf(view.system.raw) : "";
    const ids = replaced.map(({ id }) => id);
    const named = [...(previous?.sources ?? []), ...messageSources(records.conversation, ids)];
    const task = { items: replaced, sources: newestSources(named), previous, instruction, pictured };
    const summary = await summarize(model, task, this.#summaryLimits(), this.#meter);
    const kept = [...pictured, ...replaced].filter(({ id }) =>
      summary.images.some(({ message }) => message === id),
    );
    const item = summaryItem(summary, kept, counter.measure);
    if (item.tokens >= sumTokens(shown) + (view.summary?.tokens ?? 0)) return "the summary is no shorter";
    await records.store([summaryEntry(records.conversation, summary)]);
    this.#meter.written(1);
    return this.#unlessChanged(replaced, () => {
      const items = view.items.slice(start);
      const left = hidden.filter(({ seq }) => seq > until);
      this.#subject = { view: { ...view, summary: item, items }, hidden: left, summary, pictured: kept };
    });
  }

  /**
   * What was made of messages is forgotten if they were changed or removed since they were read. Whoever removes one
   * forgets what was made of it afterwards, so that of the two at least one sees the other.
   */
  async #unlessChanged(messages: readonly ViewItem[], then: () => void): Promise<string | undefined> {
    if (await this.#tools.records.stand(messages)) {
      then();
      return undefined;
    }
    this.#meter.written(await this.#tools.records.forgetDerived(messages));
    return "messages were changed meanwhile";
  }

  /** Before the newest messages only so many images stay. */
  capImages(max: number): void {
    const { options, counter } = this.#tools;
    const { items } = this.#subject.view;
    const start = protectedStart(items, options.graceRounds);
    let left = max;
    const capped = items
      .slice(0, start)
      .reverse()
      .map((item) => {
        const images = imagesOf(item.view).length;
        const kept = Math.min(left, images);
        left -= kept;
        const view = leavingOutImages(item.view, (index) => index >= images - kept);
        return viewedAs(item, view, counter.measure);
      });
    this.#show({ items: [...capped.reverse(), ...items.slice(start)] });
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
    const { view } = this.#subject;
    const packed = packBackward(view, { targetTokens: this.#goal.targetTokens, graceRounds, gaps });
    if (packed.items.length === view.items.length && packed.summary === view.summary) {
      return "everything that is left has to stay";
    }
    this.#show(packed);
    return undefined;
  }

  #tooLittle(saving: number, always: boolean): string | undefined {
    const { minReductionRatio, thresholdTokens } = this.#tools.options;
    if (saving <= 0) return "it would save nothing";
    const isEnough = always || saving >= minReductionRatio * thresholdTokens;
    return isEnough ? undefined : `it would save ${Math.round(saving)} tokens only`;
  }

  #show(part: Partial<View>): void {
    this.#subject = { ...this.#subject, view: { ...this.#subject.view, ...part } };
  }
}

/** The processors of a window, in their order. */
export function stagesOf({ mode, processors, excludedProcessors }: ResolvedContextOptions): readonly Stage[] {
  if (mode === "sliding_window") return ["sliding_window"];
  return processors.filter((name: ProcessorName) => !excludedProcessors.includes(name));
}
