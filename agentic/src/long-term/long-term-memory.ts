import type { AgentMemory } from "@membus/agent-client";
import { type Clock, parseOptions, silentLogger, systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { kindIs } from "../kind-filter.js";
import { type ChatMessage, type ChatModel, type Cost, CostMeter } from "../model/index.js";
import type { CallContext } from "./call-context.js";
import { currentAt, lowestTrust } from "./facts/fact.js";
import { forgetMark, setForgetMark } from "./facts/forget-mark.js";
import { lineageOf } from "./facts/history.js";
import { recordInputs } from "./facts/record-inputs.js";
import { type UndoneConsolidation, undoConsolidation } from "./facts/undo-consolidation.js";
import { type FactChanges, FactChangesSchema, updateFact } from "./facts/update-fact.js";
import { type ForgetTarget, forgetIn, parseForgetTarget } from "./forget.js";
import {
  type ExperienceOptions,
  ExperienceOptionsSchema,
  type LongTermOptions,
  LongTermOptionsSchema,
  type RecordOptions,
  RecordOptionsSchema,
  type ResolvedLongTermOptions,
  type ToolCallOptions,
  ToolCallOptionsSchema,
} from "./long-term-options.js";
import { MainAndQuarantine } from "./main-and-quarantine.js";
import { NamespaceView } from "./namespace-view.js";
import type { RecordOutcome, RecordResult } from "./outcome.js";
import { type Experience, extractExperiences, recordExperiences } from "./procedural/record-experiences.js";
import { recordToolCalls, type ToolCallsResult } from "./procedural/record-tool-calls.js";
import type { ToolCallInput } from "./procedural/tool-call.js";
import { promoteMemories } from "./promote.js";
import { type LongTermItem, MEMORY_KINDS, type MemoryKind, readItem } from "./recall/memory.js";
import {
  queryOf,
  type Recall,
  type RecallOptions,
  RecallOptionsSchema,
  type RecallQuery,
  recall,
  recallOf,
  whereOf,
} from "./recall/recall.js";
import { inputList, isMessage, type RecordInput, toUtterances } from "./record-input.js";
import { ALL_SUBJECTS, type SubjectCount, subjectCounts } from "./subject.js";
import { splitInput } from "./tasks/split-input.js";
import type { TaskOutcome, TaskState, Work } from "./tasks/task.js";
import { TaskQueue } from "./tasks/task-queue.js";
import { type RunResult, TaskRunner } from "./tasks/task-runner.js";

export interface LongTermDependencies {
  /**
   * Model that extracts facts and decides how they relate to known ones. Absent: texts are stored unchanged.
   */
  readonly model?: ChatModel | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** Logs failures in the background. Absent: no log. */
  readonly logger?: Logger | undefined;
}

/** Work that is stored in the queue. */
export interface QueuedRecord {
  /** Ids for `status`. Several for long input. */
  readonly eventIds: readonly string[];
  readonly status: "queued";
  readonly cost: Cost;
}

/** Progress of queued work. */
export interface EventStatus {
  readonly state: TaskState;
  /** Number of started attempts. */
  readonly attempts: number;
  /** Outcomes of completed work, as `record` returns them, without texts. */
  readonly outcomes?: readonly TaskOutcome[] | undefined;
  /** Reason of failed work, or why it is still queued: a code, a colon and a message. */
  readonly reason?: string | undefined;
  /** Cost of completed or failed work. */
  readonly cost?: Cost | undefined;
}

/** Number of memories by kind. */
export interface MemorySizes {
  /** Current facts. `superseded` counts all other facts. */
  readonly fact: number;
  readonly superseded: number;
  readonly experience: number;
  readonly guideline: number;
  readonly tool_call: number;
}

/** Number of changed memories. */
export interface LongTermChange {
  readonly count: number;
  readonly cost: Cost;
}

/**
 * The long-term memory of an agent about a subject: facts, experiences, and the behaviour of its tools. Any
 * number of processes may write to it.
 *
 * Every method throws `MemoryError` for failures of the bus or the host, and `ModelError` for failures of the
 * model. It throws `TypeError` for a wrong argument, before it sends anything.
 */
export class LongTermMemory {
  readonly #memory: AgentMemory;
  readonly #options: ResolvedLongTermOptions;
  readonly #dependencies: LongTermDependencies;
  readonly #clock: Clock;
  readonly #namespaces: MainAndQuarantine;
  readonly #tasks: TaskQueue;
  readonly #runner: TaskRunner;

  /** @throws {TypeError} for an unknown option or a value out of range. */
  constructor(memory: AgentMemory, options: LongTermOptions, dependencies: LongTermDependencies = {}) {
    this.#memory = memory;
    this.#options = parseOptions(LongTermOptionsSchema, options);
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    this.#namespaces = new MainAndQuarantine(memory, this.#options);
    this.#tasks = new TaskQueue(memory, this.#options, this.#clock);
    this.#runner = new TaskRunner(this.#tasks, (work, meter) => this.#work(work, meter), {
      clock: this.#clock,
      logger: dependencies.logger ?? silentLogger,
      attemptCountMax: this.#options.taskAttemptCountMax,
    });
  }

  get subject(): string {
    return this.#options.subject;
  }

  /** Returns a LongTermMemory for another subject. Close it separately. */
  forSubject(subject: string): LongTermMemory {
    return new LongTermMemory(this.#memory, { ...this.#options, subject }, this.#dependencies);
  }

  /**
   * Records texts, or the content of messages. Recalled memories in them are left out.
   *
   * With a model, facts are extracted from messages, and the model decides how each relates to known facts.
   * If those change concurrently, the decision is repeated, so nothing is overwritten. Without a model, texts
   * are stored unchanged. A text with the same words as a fact is a duplicate. Facts with a similar meaning
   * are reported as `similar`.
   *
   * @throws {ModelError} if nothing was written. Later failures are "refused" in the outcomes.
   */
  async record(input: RecordInput, options: RecordOptions & { readonly wait: false }): Promise<QueuedRecord>;
  async record(input: RecordInput, options?: RecordOptions & { readonly wait?: true }): Promise<RecordResult>;
  async record(input: RecordInput, options: RecordOptions = {}): Promise<RecordResult | QueuedRecord> {
    const { wait, signal, ...fields } = parseOptions(RecordOptionsSchema, options);
    const meter = this.#meter();
    const inputs = inputList(input);
    const mark = await forgetMark(this.#namespaces.main);
    if (wait) {
      const outcomes = await this.#recordInputs(inputs, fields, mark, this.#context(meter, { signal }));
      return { outcomes, cost: meter.cost };
    }
    const at = fields.at ?? this.#clock.now();
    const works = splitInput(inputs).map(
      (part): Work => ({ input: part, fields: defined({ ...fields, at }), mark }),
    );
    const eventIds = works.length === 0 ? [] : await this.#tasks.add(works);
    meter.written(eventIds.length);
    if (this.#options.runQueued) this.#runner.start();
    return { eventIds, status: "queued", cost: meter.cost };
  }

  /**
   * Records experiences: texts, or with a model lessons from messages. A repeated text gets the new value.
   */
  async recordExperiences(
    input: RecordInput | Experience | readonly Experience[],
    options: ExperienceOptions = {},
  ): Promise<RecordResult> {
    const { value, outcome, trust, infer, sources, signal } = parseOptions(ExperienceOptionsSchema, options);
    const context = this.#context(this.#meter(), { signal });
    const list = (Array.isArray(input) ? input : [input]) as (Experience | string | ChatMessage)[];
    const given = list.filter(
      (one): one is Experience => typeof one === "object" && "text" in one && !("role" in one),
    );
    const inputs = inputList(list.filter((one) => !given.includes(one as Experience)) as string[]);
    const utterances = toUtterances(inputs, trust);
    const hasMessages = infer && context.model !== undefined && inputs.some(isMessage);
    const found = hasMessages
      ? await extractExperiences(context.model, utterances, value, context)
      : utterances.map(({ text }) => ({ text }));
    const resolvedTrust = trust ?? lowestTrust(["user", ...utterances.map((one) => one.trust)]);
    const view = this.#namespaces.for(resolvedTrust);
    const fields = { value, outcome, trust: resolvedTrust, sources };
    const outcomes = await recordExperiences(view, [...given, ...found], fields, context);
    return { outcomes: this.#marked(view, outcomes), cost: context.meter.cost };
  }

  /**
   * Records tool calls, given as objects, as AgentScope's JSON texts or as messages with these. Then updates
   * the guidelines of the tools: computed statistics, with a model's advice if there is one.
   */
  async recordToolCalls(
    calls: ToolCallInput | readonly ToolCallInput[],
    options: ToolCallOptions = {},
  ): Promise<ToolCallsResult> {
    const { signal, sources } = parseOptions(ToolCallOptionsSchema, options);
    const given = (Array.isArray(calls) ? calls : [calls]) as ToolCallInput[];
    const view = this.#namespaces.for("tool");
    const result = await recordToolCalls(view, given, sources, this.#context(this.#meter(), { signal }));
    return { ...result, outcomes: this.#marked(view, result.outcomes) };
  }

  /**
   * Returns the existing guidelines of these tools, by exact name. In a shared tier only the promoted ones.
   */
  async guidelines(tools: readonly string[]): Promise<Recall> {
    const meter = this.#meter();
    const keys = tools.map((guideline) => ({ guideline }));
    const entries = keys.length === 0 ? [] : [...(await this.#namespaces.main.byKey(keys)).values()];
    return recallOf(
      entries.map(readItem).filter((item) => item !== undefined),
      meter,
    );
  }

  /** Returns memories that match a query, or the latest user message, best first. */
  async retrieve(query: RecallQuery, options: RecallOptions = {}): Promise<Recall> {
    const resolved = parseOptions(RecallOptionsSchema, options);
    const meter = this.#meter();
    const view = resolved.quarantined ? this.#namespaces.quarantine : this.#namespaces.main;
    return view === undefined ? recallOf([], meter) : recall(view, queryOf(query), resolved, meter);
  }

  /** Yields all memories, newest first, page by page. `limit` and `minScore` do not apply. */
  async *entries(
    options: Pick<RecallOptions, "asOf" | "kinds" | "category" | "quarantined"> = {},
  ): AsyncGenerator<LongTermItem> {
    const resolved = parseOptions(RecallOptionsSchema, options);
    const view = resolved.quarantined ? this.#namespaces.quarantine : this.#namespaces.main;
    if (view === undefined) return;
    for await (const entry of view.each({ where: whereOf(resolved, this.#clock.now()), order: "newest" })) {
      const item = readItem(entry);
      if (item !== undefined) yield item;
    }
  }

  /** Counts memories, without those in quarantine. */
  async sizes(): Promise<MemorySizes> {
    const view = this.#namespaces.main;
    const isCurrent = { all: [kindIs("fact"), currentAt(this.#clock.now())] };
    const [all, current] = await Promise.all([
      view.counts({ field: "metadata.kind", where: kindIs(...MEMORY_KINDS) }),
      view.counts({ field: "metadata.kind", where: isCurrent }),
    ]);
    const count = (kind: MemoryKind) => all.get(kind) ?? 0;
    const fact = current.get("fact") ?? 0;
    return {
      fact,
      superseded: count("fact") - fact,
      experience: count("experience"),
      guideline: count("guideline"),
      tool_call: count("tool_call"),
    };
  }

  /**
   * Returns the subjects in this tier with their numbers of memories, sorted by name, without reading
   * memories.
   * @throws {MemoryError} `too_large` for more than 256 subjects, the host's list limit. `unsupported` if the
   * host cannot list.
   */
  async listSubjects(): Promise<SubjectCount[]> {
    const allSubjects = new NamespaceView(this.#memory, "about", this.#options.tier);
    const counts = await allSubjects.counts({ namespace: ALL_SUBJECTS, where: kindIs(...MEMORY_KINDS) });
    return subjectCounts(counts);
  }

  /**
   * Returns a fact with all facts that it replaced or that replaced it, the oldest first. Facts that are no
   * longer true have `valid_until` and `superseded_by` in their metadata.
   * @throws {MemoryError} `memory_not_found` if the fact does not exist.
   */
  async history(id: string): Promise<readonly LongTermItem[]> {
    const facts = await lineageOf(this.#namespaces.main, id);
    return facts.map(({ entry }) => readItem(entry)!);
  }

  /**
   * Changes a current fact. A new text becomes a new fact. Its id is in the outcome.
   * @throws {MemoryError} `memory_not_found`, or `conflict` if it is not current or changed concurrently.
   */
  async update(id: string, changes: FactChanges): Promise<RecordOutcome & { readonly cost: Cost }> {
    const checked = parseOptions(FactChangesSchema, changes);
    const meter = this.#meter();
    const outcome = await updateFact(this.#namespaces.main, id, checked, this.#context(meter, {}));
    return { ...outcome, cost: meter.cost };
  }

  /**
   * Makes the facts that a consolidation replaced current again. `id` is from its result. The facts that
   * replaced them stay. Repeating it changes nothing.
   */
  async undoConsolidation(id: string): Promise<UndoneConsolidation & { readonly cost: Cost }> {
    const meter = this.#meter();
    const undone = await undoConsolidation(this.#namespaces.main, id, this.#context(meter, {}));
    return { ...undone, cost: meter.cost };
  }

  /**
   * Forgets memories of every kind, including those in quarantine. Facts that were replaced stay for `asOf`,
   * unless `history` is true or their own ids are given. `all` also cancels queued work and work in progress.
   * For that it keeps a marker in the subject's namespace for 7 days.
   * @throws {TypeError} for an unknown option, or without exactly one of `ids`, `category` and `all`.
   */
  async forget(target: ForgetTarget): Promise<LongTermChange> {
    const meter = this.#meter();
    const parsed = parseForgetTarget(target);
    if (parsed.all === true) {
      await this.#tasks.forgetAll();
      await setForgetMark(this.#namespaces.main);
    }
    let count = 0;
    for (const view of this.#namespaces.all) count += await forgetIn(view, parsed);
    meter.written(count);
    return { count, cost: meter.cost };
  }

  /** Promotes memories out of quarantine, so that all agents find them. @returns their number. */
  async promote(ids: readonly string[]): Promise<LongTermChange> {
    const meter = this.#meter();
    const count = await promoteMemories(this.#namespaces, ids, this.#context(meter, {}));
    return { count, cost: meter.cost };
  }

  /**
   * Returns the progress of work queued by `record`.
   * @throws {MemoryError} `memory_not_found` if this subject has no such event, or its result has expired.
   */
  async status(eventId: string): Promise<EventStatus> {
    const { metadata, content } = await this.#tasks.get(eventId);
    const { outcomes, reason, cost } = content;
    return { state: metadata.state, attempts: metadata.attempts, outcomes, reason, cost };
  }

  /** Queues failed work again. @returns false if it has not failed. @throws as `status`. */
  async retry(eventId: string): Promise<boolean> {
    const isQueued = await this.#tasks.requeue(eventId);
    if (isQueued && this.#options.runQueued) this.#runner.start();
    return isQueued;
  }

  /** Processes all due tasks of this subject, including tasks abandoned by a dead process. */
  async runPending(): Promise<RunResult> {
    return this.#runner.run();
  }

  /** Resolves when no background work is running. */
  async settled(): Promise<void> {
    await this.#runner.settled();
  }

  /** Stops background work. Queued work stays queued. The client stays open. */
  async close(): Promise<void> {
    await this.#runner.close();
  }

  #meter(): CostMeter {
    return new CostMeter(this.#clock);
  }

  #context(meter: CostMeter, rest: Pick<CallContext, "signal" | "isRepeated">): CallContext {
    return { options: this.#options, clock: this.#clock, meter, model: this.#dependencies.model, ...rest };
  }

  async #work({ input, fields, mark }: Work, meter: CostMeter): Promise<RecordOutcome[]> {
    return this.#recordInputs(input, fields, mark, this.#context(meter, { isRepeated: true }));
  }

  #recordInputs(
    inputs: readonly (string | ChatMessage)[],
    fields: Work["fields"] | Omit<RecordOptions & { readonly infer: boolean }, "wait" | "signal">,
    mark: number,
    context: CallContext,
  ): Promise<RecordOutcome[]> {
    const isForgotten = async () => (await forgetMark(this.#namespaces.main)) > mark;
    return recordInputs(this.#namespaces, inputs, fields, isForgotten, context);
  }

  #marked(view: NamespaceView, outcomes: readonly RecordOutcome[]): RecordOutcome[] {
    const isQuarantine = view === this.#namespaces.quarantine;
    return outcomes.map((one) =>
      isQuarantine && one.outcome !== "refused" ? { ...one, quarantined: true } : one,
    );
  }
}

/** Removes undefined fields, which JSON cannot represent. */
function defined<T extends object>(fields: T): Work["fields"] {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Work["fields"];
}
