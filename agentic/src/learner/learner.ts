import { randomUUID } from "node:crypto";
import type { AgentMemory, Watch } from "@membus/agent-client";
import { type Clock, isMemoryError, parseOptions, silentLogger, systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { CONVERSATIONS_NAMESPACE } from "../conversation/index.js";
import { pendingSubjects } from "../long-term/index.js";
import { type ChatModel, CountedModel, ModelError } from "../model/index.js";
import { AnswerJournal } from "./answer-journal.js";
import { type Batch, readBatch } from "./batch.js";
import { advanceCursor, type Cursor, claimCursor, postponeCursor, reopenCursor } from "./cursor.js";
import { CursorStore } from "./cursor-store.js";
import { discover } from "./discover.js";
import { decideOnFailure, type FailureAction, isFaultCode } from "./failure-decision.js";
import { type LearnedBatch, type LearnerServices, learnBatch, longTermOf } from "./learn-batch.js";
import { type LearnerOptions, LearnerOptionsSchema, type ResolvedLearnerOptions } from "./learner-options.js";
import { LearnerCounts, type LearnerStats } from "./learner-stats.js";
import { Lease } from "./lease.js";
import type { Fault, SetAsideMessage, SetAsideSelection } from "./set-aside.js";
import { Wakeup } from "./wakeup.js";

/** Minimum pause between two searches in milliseconds. */
const PAUSE_MIN_MS = 50;

const NO_MODEL =
  "a Learner needs a `model`, which extracts facts from messages: pass one, or store texts with `Memory.add`";

/** Unix seconds later than any due time. */
const LATEST = 1e11;

/** The queue that the concurrent workers share. */
interface Queue {
  readonly due: Cursor[];
  /**
   * Revision of each cursor that was tried, by conversation. Cursors that other learners hold are not
   * retried.
   */
  readonly tried: Map<string, number>;
  /** Conversations with a failed batch. They wait for the next search. */
  readonly postponed: Set<string>;
  readonly ignoreDebounce: boolean;
}

export interface PollOptions {
  /** Whether to learn conversations before their debounce time is over. @default false */
  readonly ignoreDebounce?: boolean | undefined;
}

export interface LearnerDependencies {
  readonly model: ChatModel;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** Logs failures. Absent: no log. */
  readonly logger?: Logger | undefined;
  /** Called for each batch after its messages are learned durably. It must not throw. */
  readonly onLearned?: ((learned: LearnedBatch) => void) | undefined;
  /** Called for each message that is set aside. It must not throw. */
  readonly onSetAside?: ((message: SetAsideMessage) => void) | undefined;
}

/**
 * Forms memories from the conversations of an agent in the background. Any number of learners share the work.
 * Each message is learned once. After a crash, another learner takes over.
 */
export class Learner {
  readonly #memory: AgentMemory;
  readonly #options: ResolvedLearnerOptions;
  readonly #services: LearnerServices;
  readonly #onLearned: (learned: LearnedBatch) => void;
  readonly #onSetAside: (message: SetAsideMessage) => void;
  readonly #cursors: CursorStore;
  readonly #counts: LearnerCounts;
  readonly #wakeup: Wakeup;
  #starting: Promise<void> | undefined;
  #loop: Promise<void> | undefined;
  #watch: Watch | undefined;
  #isStopped = false;

  /** @throws {TypeError} for an unknown option or a value out of range, or without a model. */
  constructor(memory: AgentMemory, options: LearnerOptions, dependencies: LearnerDependencies) {
    const { model, clock = systemClock, logger = silentLogger } = dependencies ?? {};
    if (model === undefined) throw new TypeError(NO_MODEL);
    this.#memory = memory;
    this.#options = parseOptions(LearnerOptionsSchema, options);
    const counted = new CountedModel(model);
    this.#services = { model: counted, clock, logger };
    this.#counts = new LearnerCounts(counted);
    this.#onLearned = dependencies.onLearned ?? (() => {});
    this.#onSetAside = dependencies.onSetAside ?? (() => {});
    this.#cursors = new CursorStore(memory, this.#options.tier);
    this.#wakeup = new Wakeup(clock);
    longTermOf(memory, "anything", this.#options, this.#services);
  }

  /**
   * Learns in the background until `stop`. Failures are logged and retried.
   * @throws {MemoryError} if the events of conversations cannot be watched.
   */
  async start(): Promise<void> {
    this.#starting ??= this.#watchAndRun();
    await this.#starting;
  }

  /**
   * Starts no further batch, and resolves when the batches in progress are learned. The client stays open.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#starting?.catch(() => {});
    await this.#watch?.stop();
    this.#wakeup.wakeNow();
    await this.#loop;
  }

  /**
   * Searches for new messages once, and learns until nothing is due. Skips conversations before their
   * debounce time is over (unless `ignoreDebounce` is true) and batches that failed.
   * @throws {MemoryError} for failures of the learner's own records.
   */
  async poll({ ignoreDebounce = false }: PollOptions = {}): Promise<LearnerStats> {
    this.#counts.polls += 1;
    await discover(this.#memory, this.#cursors, this.#options);
    await this.#runTasks();
    const queue: Queue = { due: [], tried: new Map(), postponed: new Set(), ignoreDebounce };
    const workers = Array.from({ length: this.#options.concurrency }, () => this.#runWorker(queue));
    const failed = (await Promise.allSettled(workers)).find((worker) => worker.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return this.stats();
  }

  stats(): LearnerStats {
    return this.#counts.stats;
  }

  /**
   * Yields messages that were set aside because the model cannot process them, at most 64 of a conversation.
   */
  async *setAside(selection: SetAsideSelection = {}): AsyncGenerator<SetAsideMessage> {
    for await (const { conversation, setAside } of this.#cursors.withSetAside(selection)) {
      for (const one of setAside) if (isSelected(one, selection)) yield { conversation, ...one };
    }
  }

  /**
   * Schedules set-aside messages for one more attempt, each in its own batch, by any learner. A message that
   * fails again stays set aside.
   * @returns their number.
   * @throws {MemoryError} for failures of the host. `conflict` if other learners keep changing the cursors.
   */
  async retrySetAside(selection: SetAsideSelection = {}): Promise<number> {
    let count = 0;
    for await (const { conversation } of this.#cursors.withSetAside(selection)) {
      await this.#cursors.update(conversation, (cursor) => {
        const chosen = cursor.setAside.filter((one) => isSelected(one, selection));
        count += chosen.length;
        if (chosen.every(({ again }) => again)) return undefined;
        const setAside = cursor.setAside.map((one) => (chosen.includes(one) ? { ...one, again: true } : one));
        const marked = { ...cursor, setAside };
        return cursor.state === "held" ? marked : reopenCursor(marked, true, this.#options);
      });
    }
    this.#wakeup.wakeNow();
    return count;
  }

  /** Watches before the first search, so that no message is missed between them. */
  async #watchAndRun(): Promise<void> {
    const { tier, debounceMs } = this.#options;
    const filter = { tier, action: "stored", namespace: CONVERSATIONS_NAMESPACE } as const;
    this.#watch = await this.#memory.watch(filter, () => this.#wakeup.wakeIn(debounceMs));
    this.#loop = this.#run();
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#services;
    const { pollMs, retryMs } = this.#options;
    while (!this.#isStopped) {
      let pauseMs = pollMs;
      try {
        await this.poll();
        const due = await this.#cursors.nextDue();
        if (due !== undefined) pauseMs = Math.min(pollMs, (due - clock.now()) * 1000);
      } catch (error) {
        pauseMs = Math.min(pollMs, retryMs);
        logger.warn({ error: String(error) }, "learner failed, will retry");
      }
      if (!this.#isStopped) await this.#wakeup.sleep(Math.max(pauseMs, PAUSE_MIN_MS));
    }
  }

  /** Processes queued records of `record`, including those abandoned by other processes. */
  async #runTasks(): Promise<void> {
    const { tier } = this.#options.longTerm;
    for (const subject of await pendingSubjects(this.#memory, tier, this.#services.clock.now())) {
      if (this.#isStopped) return;
      this.#counts.addTasks(
        await longTermOf(this.#memory, subject, this.#options, this.#services).runPending(),
      );
    }
  }

  /** Runs one of the concurrent workers. */
  async #runWorker(queue: Queue): Promise<void> {
    const { due, tried, postponed } = queue;
    while (!this.#isStopped) {
      if (due.length === 0) due.push(...(await this.#dueNow(queue)));
      const cursor = due.shift();
      if (cursor === undefined) return;
      if (tried.get(cursor.conversation) === cursor.revision) continue;
      tried.set(cursor.conversation, cursor.revision);
      if ((await this.#learn(cursor)) === "retry") postponed.add(cursor.conversation);
    }
  }

  async #dueNow({ tried, postponed, ignoreDebounce }: Queue): Promise<Cursor[]> {
    const now = this.#services.clock.now();
    const skewS = this.#options.clockSkewMsMax / 1000;
    const cursors = await this.#cursors.due(ignoreDebounce ? LATEST : now);
    return cursors.filter(({ conversation, state, due, attempts, revision }) => {
      if (postponed.has(conversation) || tried.get(conversation) === revision) return false;
      if (state === "held") return due + skewS <= now;
      return due <= now || attempts === 0;
    });
  }

  /**
   * @returns the action for a failed batch. undefined if the batch is learned or another learner holds it.
   */
  async #learn(cursor: Cursor): Promise<FailureAction | undefined> {
    const { clock } = this.#services;
    const { leaseMs, tier } = this.#options;
    const batch = await readBatch(this.#memory, cursor, this.#options);
    const until = clock.now() + leaseMs / 1000;
    const held = await this.#cursors.change(claimCursor(cursor, randomUUID(), batch, until));
    if (held === undefined) return undefined;
    const { conversation } = cursor;
    const lease = new Lease(this.#cursors, held, clock, leaseMs);
    const skipDecisions = cursor.undecided === true;
    const journalOptions = { tier, conversation, skipDecisions, confirmLease: () => lease.confirm() };
    const model = new CountedModel(this.#services.model);
    const journal = new AnswerJournal(this.#memory, journalOptions, model);
    const services = { ...this.#services, model: journal };
    try {
      const { signal } = lease;
      const recorded = await learnBatch(this.#memory, conversation, batch, this.#options, services, signal);
      // Answers of the journal cost nothing again.
      const learned = { ...recorded, cost: { ...recorded.cost, ...model.calls } };
      if (!(await lease.end((current) => advanceCursor(current, batch, this.#options))))
        throw lease.signal.reason;
      await journal.forget();
      this.#counts.addBatch(learned);
      this.#onLearned(learned);
      return undefined;
    } catch (error) {
      return await this.#postpone({ conversation, batch, lease, journal }, error);
    }
  }

  async #postpone(
    { conversation, batch, lease, journal }: Attempt,
    error: unknown,
  ): Promise<FailureAction | undefined> {
    if (lease.signal.aborted) {
      this.#counts.lost += 1;
      return undefined;
    }
    this.#counts.failures += 1;
    const { clock, logger } = this.#services;
    const now = clock.now();
    const fault = faultOf(error, journal);
    let action = "retry" as FailureAction;
    let waitMs = 0;
    const isEnded = await lease.end((held) => {
      const judged = fault && decideOnFailure(held, batch, fault, this.#options, now);
      action = judged?.action ?? "retry";
      if (judged !== undefined && action !== "retry") return judged.cursor;
      waitMs = this.#waitMs(held, error);
      const postponed = postponeCursor(judged?.cursor ?? held, now + waitMs / 1000);
      // Over the budget nothing was attempted, so `ignoreDebounce` tries it again at once.
      return isOverBudget(error) ? { ...postponed, attempts: 0 } : postponed;
    });
    const code = error instanceof ModelError || isMemoryError(error) ? error.code : "runtime_error";
    const details = { conversation, code, error: String(error), waitMs, action };
    logger.warn(details, logText(action, code));
    if (isEnded && fault !== undefined)
      await this.#finishFailure(action, { conversation, batch, journal }, fault);
    return action;
  }

  /** Forgets answers that no longer apply, and reports a message that was set aside. */
  async #finishFailure(
    action: FailureAction,
    { conversation, batch, journal }: Omit<Attempt, "lease">,
    { code, message: reason }: Fault,
  ): Promise<void> {
    if (action === "divided" || action === "set_aside") await journal.forget();
    if (action !== "set_aside") return;
    const { id: message, seq } = batch.messages[0]!;
    const { clock, logger } = this.#services;
    this.#counts.setAside += 1;
    logger.error({ conversation, message, seq, code, reason }, "set message aside");
    this.#onSetAside({ conversation, message, seq, code, reason, at: clock.now() });
  }

  #waitMs({ attempts }: Cursor, error: unknown): number {
    const { retryMs, retryMsMax } = this.#options;
    const requestedMs = error instanceof ModelError ? (error.retryAfterMs ?? 0) : 0;
    return Math.min(Math.max(retryMs * 2 ** attempts, requestedMs), retryMsMax);
  }
}

function isOverBudget(error: unknown): boolean {
  return error instanceof ModelError && error.code === "over_budget";
}

function logText(action: FailureAction, code: string): string {
  if (action === "set_aside") return "skipped message";
  if (code === "over_budget") return "the budget is used up, will continue later";
  return code === "unavailable" ? "the model is away, will retry" : "batch failed, will retry";
}

/** A batch in progress with its lease. */
interface Attempt {
  readonly conversation: string;
  readonly batch: Batch;
  readonly lease: Lease;
  readonly journal: AnswerJournal;
}

function faultOf(error: unknown, { isDeciding }: AnswerJournal): Fault | undefined {
  if (!(error instanceof ModelError) || !isFaultCode(error.code)) return undefined;
  return { code: error.code, message: error.message, isDeciding };
}

function isSelected({ message }: { readonly message: string }, selection: SetAsideSelection): boolean {
  return selection.message === undefined || selection.message === message;
}
