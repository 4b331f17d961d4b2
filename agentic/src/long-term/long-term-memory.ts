import type { AgentMemory } from "@membus/agent-client";
import { type Clock, type Logger, resolveOptions, silentLogger, systemClock } from "@membus/protocol";
import { kindIs } from "../kind-filter.js";
import { type ChatMessage, type ChatModel, type Cost, CostMeter } from "../model/index.js";
import { type AboutCount, ALL_ABOUT, aboutCounts } from "./about.js";
import type { CallContext } from "./call-context.js";
import { currentAt, weakest } from "./facts/fact.js";
import { forgetMark, setForgetMark } from "./facts/forget-mark.js";
import { lineageOf } from "./facts/history.js";
import { recordInputs } from "./facts/record-inputs.js";
import { type FactChanges, updateFact } from "./facts/update-fact.js";
import { type Forgetting, forgetIn } from "./forget.js";
import {
  type LongTermOptions,
  type ResolvedLongTermOptions,
  resolveLongTermOptions,
} from "./long-term-options.js";
import type { RecordOutcome, RecordResult } from "./outcome.js";
import { type Experience, extractExperiences, recordExperiences } from "./practice/record-experiences.js";
import { recordToolCalls, type ToolCallsResult } from "./practice/record-tool-calls.js";
import type { ToolCallInput } from "./practice/tool-call.js";
import { promoteMemories } from "./promote.js";
import { type LongTermItem, MEMORY_KINDS, type MemoryKind, readItem } from "./recall/memory.js";
import {
  queryOf,
  type Recall,
  type RecallOptions,
  type RecallQuery,
  recall,
  recallOf,
  resolveRecallOptions,
  whereOf,
} from "./recall/recall.js";
import { inputList, isMessage, type RecordInput, saidIn } from "./record-input.js";
import {
  type ExperienceOptions,
  type RecordOptions,
  resolveExperienceOptions,
  resolveRecordOptions,
  resolveToolCallOptions,
  type ToolCallOptions,
} from "./record-options.js";
import { NamespaceView } from "./shelf.js";
import { Shelves } from "./shelves.js";
import { splitInput } from "./tasks/split-input.js";
import type { TaskOutcome, TaskState, Work } from "./tasks/task.js";
import { TaskQueue } from "./tasks/task-queue.js";
import { type RunResult, TaskRunner } from "./tasks/task-runner.js";

export interface LongTermDependencies {
  /** Finds facts in messages and decides how they stand to what is known. Absent: texts are kept as they are. */
  readonly model?: ChatModel | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** Told what goes wrong in the background. Absent: nobody. */
  readonly logger?: Logger | undefined;
}

/** Work that was written down, to be done later. */
export interface QueuedRecord {
  /** What `status` takes. Several where the input is long. */
  readonly eventIds: readonly string[];
  readonly status: "queued";
  readonly cost: Cost;
}

/** How far queued work has got. */
export interface EventStatus {
  readonly state: TaskState;
  /** How often it was begun. */
  readonly attempts: number;
  /** Of what is done: as of `record`, without texts. */
  readonly outcomes?: readonly TaskOutcome[] | undefined;
  /** Of what has failed: a code, a colon and words. */
  readonly reason?: string | undefined;
  /** Of what is over. */
  readonly cost?: Cost | undefined;
}

/** How many memories there are. */
export interface MemorySizes {
  /** Current ones, and in `superseded` all others. */
  readonly fact: number;
  readonly superseded: number;
  readonly experience: number;
  readonly guideline: number;
  readonly tool_call: number;
}

/** How much a call has changed. */
export interface LongTermChange {
  readonly count: number;
  readonly cost: Cost;
}

/**
 * What an agent knows for long about someone or something: facts, experiences, and how its tools behave. Any number of
 * processes may write to it.
 *
 * Every method throws `MemoryError` for what the bus or the host reports, `ModelError` for what keeps the model from
 * answering, and `TypeError`, before anything is sent, for a mistake in the call.
 */
export class LongTermMemory {
  readonly #memory: AgentMemory;
  readonly #options: ResolvedLongTermOptions;
  readonly #dependencies: LongTermDependencies;
  readonly #clock: Clock;
  readonly #shelves: Shelves;
  readonly #tasks: TaskQueue;
  readonly #runner: TaskRunner;

  /** @throws {TypeError} for an unknown option or a value out of range. */
  constructor(memory: AgentMemory, options: LongTermOptions, dependencies: LongTermDependencies = {}) {
    this.#memory = memory;
    this.#options = resolveLongTermOptions(options);
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    this.#shelves = new Shelves(memory, this.#options);
    this.#tasks = new TaskQueue(memory, this.#options, this.#clock);
    this.#runner = new TaskRunner(this.#tasks, (work, meter) => this.#work(work, meter), {
      clock: this.#clock,
      logger: dependencies.logger ?? silentLogger,
      attemptCountMax: this.#options.taskAttemptCountMax,
    });
  }

  get about(): string {
    return this.#options.about;
  }

  /** The same about someone or something else. It is closed by itself. */
  withAbout(about: string): LongTermMemory {
    return new LongTermMemory(this.#memory, { ...this.#options, about }, this.#dependencies);
  }

  /**
   * Remembers texts, or what is said in messages. What was recalled in them is no news and left out.
   *
   * With a model facts are found in messages, and it decides how each stands to those that are known. What others change
   * or forget while it thinks is decided about again, never overwritten. Without one, texts are kept as they are: what
   * says the same words is a duplicate, and what may mean the same is told as `similar` and kept.
   *
   * @throws {ModelError} when nothing was written. What fails later on is "refused" in the outcomes.
   */
  async record(input: RecordInput, options: RecordOptions & { readonly wait: false }): Promise<QueuedRecord>;
  async record(input: RecordInput, options?: RecordOptions & { readonly wait?: true }): Promise<RecordResult>;
  async record(input: RecordInput, options: RecordOptions = {}): Promise<RecordResult | QueuedRecord> {
    const { wait, signal, ...fields } = resolveRecordOptions(options);
    const meter = this.#meter();
    const inputs = inputList(input);
    const mark = await forgetMark(this.#shelves.main);
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
   * Remembers what was learned from doing something: texts, or with a model what messages show. The same text again gets the
   * new value.
   */
  async recordExperiences(
    input: RecordInput | Experience | readonly Experience[],
    options: ExperienceOptions = {},
  ): Promise<RecordResult> {
    const { value, outcome, trust, infer, sources, signal } = resolveExperienceOptions(options);
    const context = this.#context(this.#meter(), { signal });
    const list = (Array.isArray(input) ? input : [input]) as (Experience | string | ChatMessage)[];
    const given = list.filter(
      (one): one is Experience => typeof one === "object" && "text" in one && !("role" in one),
    );
    const inputs = inputList(list.filter((one) => !given.includes(one as Experience)) as string[]);
    const said = saidIn(inputs, trust);
    const isTalk = infer && context.model !== undefined && inputs.some(isMessage);
    const found = isTalk
      ? await extractExperiences(context.model, said, value, context)
      : said.map(({ text }) => ({ text }));
    const whose = trust ?? weakest(["user", ...said.map((one) => one.trust)]);
    const shelf = this.#shelves.for(whose);
    const fields = { value, outcome, trust: whose, sources };
    const outcomes = await recordExperiences(shelf, [...given, ...found], fields, context);
    return { outcomes: this.#marked(shelf, outcomes), cost: context.meter.cost };
  }

  /**
   * Remembers calls of tools, as objects, as AgentScope's JSON texts or as messages of these, and writes the guidelines of these tools: figures
   * that are counted, with a model's advice if there is one.
   */
  async recordToolCalls(
    calls: ToolCallInput | readonly ToolCallInput[],
    options: ToolCallOptions = {},
  ): Promise<ToolCallsResult> {
    const { signal, sources } = resolveToolCallOptions(options);
    const given = (Array.isArray(calls) ? calls : [calls]) as ToolCallInput[];
    const shelf = this.#shelves.for("tool");
    const result = await recordToolCalls(shelf, given, sources, this.#context(this.#meter(), { signal }));
    return { ...result, outcomes: this.#marked(shelf, result.outcomes) };
  }

  /** Guidelines of these tools, by their exact names; those that there are. Where they are shared: that were promoted. */
  async guidelines(tools: readonly string[]): Promise<Recall> {
    const meter = this.#meter();
    const keys = tools.map((guideline) => ({ guideline }));
    const entries = keys.length === 0 ? [] : [...(await this.#shelves.main.byKey(keys)).values()];
    return recallOf(
      entries.map(readItem).filter((item) => item !== undefined),
      meter,
    );
  }

  /** What answers a query, or the latest that the user says in messages; the best first. */
  async retrieve(query: RecallQuery, options: RecallOptions = {}): Promise<Recall> {
    const resolved = resolveRecallOptions(options);
    const meter = this.#meter();
    const shelf = resolved.quarantined ? this.#shelves.quarantine : this.#shelves.main;
    return shelf === undefined ? recallOf([], meter) : recall(shelf, queryOf(query), resolved, meter);
  }

  /** All memories, newest first, page by page as they are read; `limit` and `minScore` do not apply. */
  async *entries(
    options: Pick<RecallOptions, "asOf" | "kinds" | "category" | "quarantined"> = {},
  ): AsyncGenerator<LongTermItem> {
    const resolved = resolveRecallOptions(options);
    const shelf = resolved.quarantined ? this.#shelves.quarantine : this.#shelves.main;
    if (shelf === undefined) return;
    for await (const entry of shelf.each({ where: whereOf(resolved, this.#clock.now()), order: "newest" })) {
      const item = readItem(entry);
      if (item !== undefined) yield item;
    }
  }

  /** Without those in quarantine. */
  async sizes(): Promise<MemorySizes> {
    const shelf = this.#shelves.main;
    const isCurrent = { all: [kindIs("fact"), currentAt(this.#clock.now())] };
    const [all, current] = await Promise.all([
      shelf.counts({ field: "metadata.kind", where: kindIs(...MEMORY_KINDS) }),
      shelf.counts({ field: "metadata.kind", where: isCurrent }),
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
   * What there are memories about, in this tier, and how many; sorted by name. Reads none of them.
   * @throws {MemoryError} `too_large` for more than the host lists at once: 256; `unsupported` where it does not list.
   */
  async abouts(): Promise<AboutCount[]> {
    const everything = new NamespaceView(this.#memory, "about", this.#options.tier);
    const counts = await everything.counts({ namespace: ALL_ABOUT, where: kindIs(...MEMORY_KINDS) });
    return aboutCounts(counts);
  }

  /**
   * A fact with all that it has replaced and all that has replaced it, the oldest first: what is no longer true has
   * `valid_until` and `superseded_by` in its metadata.
   * @throws {MemoryError} `memory_not_found` where there is no such fact.
   */
  async history(id: string): Promise<readonly LongTermItem[]> {
    const facts = await lineageOf(this.#shelves.main, id);
    return facts.map(({ entry }) => readItem(entry)!);
  }

  /**
   * Changes a current fact. Another text takes the place of this one under an id of its own, which the outcome has.
   * @throws {MemoryError} `memory_not_found`, or `conflict` where it is not current or somebody else changes it.
   */
  async update(id: string, changes: FactChanges): Promise<RecordOutcome & { readonly cost: Cost }> {
    const checked = resolveOptions<FactChanges>(changes, {}, CHANGE_RULES);
    const meter = this.#meter();
    const outcome = await updateFact(this.#shelves.main, id, checked, this.#context(meter, {}));
    return { ...outcome, cost: meter.cost };
  }

  /**
   * Forgets memories of every kind, in quarantine too. What a fact has replaced stays for `asOf`, unless `history` asks for
   * it or it has an id of its own here. `all` also ends what is queued, and what is being decided is not written any more.
   */
  async forget(what: Forgetting): Promise<LongTermChange> {
    const meter = this.#meter();
    if ("all" in what) {
      await this.#tasks.forgetAll();
      await setForgetMark(this.#shelves.main);
    }
    let count = 0;
    for (const shelf of this.#shelves.all) count += await forgetIn(shelf, what);
    meter.written(count);
    return { count, cost: meter.cost };
  }

  /** Vouches for memories in quarantine: all agents find them from then on. @returns how many there were. */
  async promote(ids: readonly string[]): Promise<LongTermChange> {
    const meter = this.#meter();
    const count = await promoteMemories(this.#shelves, ids, this.#context(meter, {}));
    return { count, cost: meter.cost };
  }

  /**
   * What became of work that `record` has queued.
   * @throws {MemoryError} `memory_not_found` for an event that there is not, about this, or no more.
   */
  async status(eventId: string): Promise<EventStatus> {
    const { metadata, content } = await this.#tasks.get(eventId);
    const { outcomes, reason, cost } = content;
    return { state: metadata.state, attempts: metadata.attempts, outcomes, reason, cost };
  }

  /** Queues what has failed again. @returns false for what has not. @throws as `status`. */
  async retry(eventId: string): Promise<boolean> {
    const isQueued = await this.#tasks.again(eventId);
    if (isQueued && this.#options.runQueued) this.#runner.start();
    return isQueued;
  }

  /** Does all that is queued about this, until nothing is due: also what a process has left that is no more. */
  async runPending(): Promise<RunResult> {
    return this.#runner.run();
  }

  /** When nothing is being done in the background. */
  async settled(): Promise<void> {
    await this.#runner.settled();
  }

  /** Ends the work in the background; what is queued stays so. The client stays open. */
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
    const isForgotten = async () => (await forgetMark(this.#shelves.main)) > mark;
    return recordInputs(this.#shelves, inputs, fields, isForgotten, context);
  }

  #marked(shelf: NamespaceView, outcomes: readonly RecordOutcome[]): RecordOutcome[] {
    const isQuarantine = shelf === this.#shelves.quarantine;
    return outcomes.map((one) =>
      isQuarantine && one.outcome !== "refused" ? { ...one, quarantined: true } : one,
    );
  }
}

/** Judged where they are used. */
const anything = () => {};
const CHANGE_RULES = {
  text: anything,
  category: anything,
  confidence: anything,
  validUntil: anything,
  replacedBy: anything,
  ifRevision: anything,
};

/** Without fields that are undefined, which JSON cannot carry. */
function defined<T extends object>(fields: T): Work["fields"] {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Work["fields"];
}
