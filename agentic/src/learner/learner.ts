import { randomUUID } from "node:crypto";
import type { AgentMemory, Watch } from "@membus/agent-client";
import { type Clock, isMemoryError, type Logger, silentLogger, systemClock } from "@membus/protocol";
import { CONVERSATIONS_NAMESPACE } from "../conversation/index.js";
import { LONG_TERM_DEFAULTS, pendingAbouts } from "../long-term/index.js";
import { type ChatModel, ModelError } from "../model/index.js";
import { AnswerJournal } from "./answer-journal.js";
import { type Batch, readBatch } from "./batch.js";
import { type Cursor, heldBy, moved, postponed, waiting } from "./cursor.js";
import { Cursors } from "./cursors.js";
import { discover } from "./discover.js";
import { isFaultCode, judge, type Verdict } from "./judge.js";
import { type LearnedBatch, type LearnerServices, learnBatch, longTermOf } from "./learn-batch.js";
import {
  type LearnerOptions,
  type ResolvedLearnerOptions,
  resolveLearnerOptions,
} from "./learner-options.js";
import { LearnerCounts, type LearnerStats } from "./learner-stats.js";
import { Lease } from "./lease.js";
import type { Fault, SetAsideMessage, SetAsideSelection } from "./set-aside.js";
import { Wakeup } from "./wakeup.js";

/** Between two looks, also where something is always due. */
const PAUSE_MIN_MS = 50;

/** Later than anything is due: Unix seconds. */
const LATEST = 1e11;

/** What those that work side by side take from. */
interface Queue {
  readonly due: Cursor[];
  /** By conversation, the revision of the cursor that was tried: what others hold is not tried again and again. */
  readonly tried: Map<string, number>;
  /** Conversations whose batch has failed: it waits for another look, however short its pause is. */
  readonly putOff: Set<string>;
  readonly unquiet: boolean;
}

export interface LookOptions {
  /** @default false */
  readonly unquiet?: boolean | undefined;
}

export interface LearnerDependencies {
  readonly model: ChatModel;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** Told what goes wrong. Absent: nobody. */
  readonly logger?: Logger | undefined;
  /** Told of each batch when its messages are learned for good; it must not throw. */
  readonly onLearned?: ((learned: LearnedBatch) => void) | undefined;
  /** Told of each message that is set aside; it must not throw. */
  readonly onSetAside?: ((message: SetAsideMessage) => void) | undefined;
}

/**
 * Forms memories of what is said in the conversations of an agent, behind it: no conversation waits for it. Any number of
 * learners share the work, each message is learned once, and where one is killed the next goes on.
 */
export class Learner {
  readonly #memory: AgentMemory;
  readonly #options: ResolvedLearnerOptions;
  readonly #services: LearnerServices;
  readonly #onLearned: (learned: LearnedBatch) => void;
  readonly #onSetAside: (message: SetAsideMessage) => void;
  readonly #cursors: Cursors;
  readonly #counts = new LearnerCounts();
  readonly #wakeup: Wakeup;
  #starting: Promise<void> | undefined;
  #loop: Promise<void> | undefined;
  #watch: Watch | undefined;
  #isStopped = false;

  /** @throws {TypeError} for an unknown option or a value out of range. */
  constructor(memory: AgentMemory, options: LearnerOptions, dependencies: LearnerDependencies) {
    const { model, clock = systemClock, logger = silentLogger } = dependencies;
    this.#memory = memory;
    this.#options = resolveLearnerOptions(options);
    this.#services = { model, clock, logger };
    this.#onLearned = dependencies.onLearned ?? (() => {});
    this.#onSetAside = dependencies.onSetAside ?? (() => {});
    this.#cursors = new Cursors(memory, this.#options.tier);
    this.#wakeup = new Wakeup(clock);
    longTermOf(memory, "anything", this.#options, this.#services);
  }

  /**
   * Learns from now on, in the background, until it is stopped. What fails is logged and tried again.
   * @throws {MemoryError} where the events of conversations cannot be watched.
   */
  async start(): Promise<void> {
    this.#starting ??= this.#watchAndRun();
    await this.#starting;
  }

  /** Begins nothing any more, and resolves when what it is at is learned. The client stays open. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#starting?.catch(() => {});
    await this.#watch?.stop();
    this.#wakeup.wakeNow();
    await this.#loop;
  }

  /**
   * Looks for news once, and learns until nothing is due. What is not quiet yet is left, unless `unquiet` is true, and so is
   * what has failed.
   * @throws {MemoryError} for what the bus or the host reports about the learner's own notes.
   */
  async look({ unquiet = false }: LookOptions = {}): Promise<LearnerStats> {
    this.#counts.looks += 1;
    await discover(this.#memory, this.#cursors, this.#options);
    await this.#runTasks();
    const queue: Queue = { due: [], tried: new Map(), putOff: new Set(), unquiet };
    const workers = Array.from({ length: this.#options.concurrency }, () => this.#work(queue));
    const failed = (await Promise.allSettled(workers)).find((worker) => worker.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return this.stats();
  }

  stats(): LearnerStats {
    return this.#counts.stats;
  }

  /** Messages that are not learned, as the model takes them neither with others nor alone: 64 of a conversation at most. */
  async *setAside(selection: SetAsideSelection = {}): AsyncGenerator<SetAsideMessage> {
    for await (const { conversation, setAside } of this.#cursors.withSetAside(selection)) {
      for (const one of setAside) if (isSelected(one, selection)) yield { conversation, ...one };
    }
  }

  /**
   * Has messages that are set aside tried once more, alone and by whichever learner comes first; one that fails again by its
   * own fault stays set aside.
   * @returns how many there are.
   * @throws {MemoryError} for what the host reports; `conflict` where others change the notes all the time.
   */
  async retrySetAside(selection: SetAsideSelection = {}): Promise<number> {
    let count = 0;
    for await (const { conversation } of this.#cursors.withSetAside(selection)) {
      await this.#cursors.edit(conversation, (cursor) => {
        const chosen = cursor.setAside.filter((one) => isSelected(one, selection));
        count += chosen.length;
        if (chosen.every(({ again }) => again)) return undefined;
        const setAside = cursor.setAside.map((one) => (chosen.includes(one) ? { ...one, again: true } : one));
        const marked = { ...cursor, setAside };
        return cursor.state === "held" ? marked : waiting(marked, true, this.#options);
      });
    }
    this.#wakeup.wakeNow();
    return count;
  }

  /** Watches first: what is said from then on is heard of, and the first look finds what was said before. */
  async #watchAndRun(): Promise<void> {
    const { tier, debounceMs } = this.#options;
    const filter = { tier, action: "stored", namespace: CONVERSATIONS_NAMESPACE } as const;
    this.#watch = await this.#memory.watch(filter, () => this.#wakeup.wakeIn(debounceMs));
    this.#loop = this.#run();
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#services;
    const { lookMs, retryMs } = this.#options;
    while (!this.#isStopped) {
      let pauseMs = lookMs;
      try {
        await this.look();
        const due = await this.#cursors.nextDue();
        if (due !== undefined) pauseMs = Math.min(lookMs, (due - clock.now()) * 1000);
      } catch (error) {
        pauseMs = Math.min(lookMs, retryMs);
        logger.warn({ error: String(error) }, "the learner looks again later");
      }
      if (!this.#isStopped) await this.#wakeup.sleep(Math.max(pauseMs, PAUSE_MIN_MS));
    }
  }

  /** Goes on with what `record` was not to wait for, and with what others have left of it. */
  async #runTasks(): Promise<void> {
    const { tier = LONG_TERM_DEFAULTS.tier } = this.#options.longTerm;
    for (const about of await pendingAbouts(this.#memory, tier, this.#services.clock.now())) {
      if (this.#isStopped) return;
      this.#counts.ran(await longTermOf(this.#memory, about, this.#options, this.#services).runPending());
    }
  }

  /** One of those that work side by side. */
  async #work(queue: Queue): Promise<void> {
    const { due, tried, putOff } = queue;
    while (!this.#isStopped) {
      if (due.length === 0) due.push(...(await this.#dueNow(queue)));
      const cursor = due.shift();
      if (cursor === undefined) return;
      if (tried.get(cursor.conversation) === cursor.revision) continue;
      tried.set(cursor.conversation, cursor.revision);
      if ((await this.#learn(cursor)) === "again") putOff.add(cursor.conversation);
    }
  }

  async #dueNow({ tried, putOff, unquiet }: Queue): Promise<Cursor[]> {
    const now = this.#services.clock.now();
    const skewS = this.#options.clockSkewMsMax / 1000;
    const cursors = await this.#cursors.due(unquiet ? LATEST : now);
    return cursors.filter(({ conversation, state, due, attempts, revision }) => {
      if (putOff.has(conversation) || tried.get(conversation) === revision) return false;
      if (state === "held") return due + skewS <= now;
      return due <= now || attempts === 0;
    });
  }

  /** @returns what becomes of a batch that has failed; undefined for one that is learned, or is another's. */
  async #learn(cursor: Cursor): Promise<Verdict | undefined> {
    const { clock } = this.#services;
    const { leaseMs, tier } = this.#options;
    const batch = await readBatch(this.#memory, cursor, this.#options);
    const until = clock.now() + leaseMs / 1000;
    const held = await this.#cursors.change(heldBy(cursor, randomUUID(), batch, until));
    if (held === undefined) return undefined;
    const { conversation } = cursor;
    const lease = new Lease(this.#cursors, held, clock, leaseMs);
    const noted = { tier, conversation, isUndecided: cursor.undecided === true };
    const journal = new AnswerJournal(this.#memory, noted, this.#services.model);
    const services = { ...this.#services, model: journal };
    try {
      const learned = await learnBatch(
        this.#memory,
        conversation,
        batch,
        this.#options,
        services,
        lease.signal,
      );
      if (!(await lease.end((current) => moved(current, batch, this.#options)))) throw lease.signal.reason;
      await journal.forget();
      this.#counts.learned(learned);
      this.#onLearned(learned);
      return undefined;
    } catch (error) {
      return await this.#putOff({ conversation, batch, lease, journal }, error);
    }
  }

  async #putOff(
    { conversation, batch, lease, journal }: Attempt,
    error: unknown,
  ): Promise<Verdict | undefined> {
    if (lease.signal.aborted) {
      this.#counts.lost += 1;
      return undefined;
    }
    this.#counts.failures += 1;
    const { clock, logger } = this.#services;
    const now = clock.now();
    const fault = faultOf(error, journal);
    let verdict = "again" as Verdict;
    let waitMs = 0;
    const isEnded = await lease.end((held) => {
      const judged = fault && judge(held, batch, fault, this.#options, now);
      verdict = judged?.verdict ?? "again";
      if (judged !== undefined && verdict !== "again") return judged.cursor;
      waitMs = this.#waitMs(held, error);
      return postponed(judged?.cursor ?? held, now + waitMs / 1000);
    });
    const code = error instanceof ModelError || isMemoryError(error) ? error.code : "runtime_error";
    const told = { conversation, code, error: String(error), waitMs, verdict };
    logger.warn(told, verdict === "set_aside" ? "not learned" : "not learned yet, tried again");
    if (isEnded && fault !== undefined) await this.#settle(verdict, { conversation, batch, journal }, fault);
    return verdict;
  }

  /** What is asked from now on is something else. */
  async #settle(
    verdict: Verdict,
    { conversation, batch, journal }: Omit<Attempt, "lease">,
    { code, message: reason }: Fault,
  ): Promise<void> {
    if (verdict === "divided" || verdict === "set_aside") await journal.forget();
    if (verdict !== "set_aside") return;
    const { id: message, seq } = batch.messages[0]!;
    const { clock, logger } = this.#services;
    this.#counts.setAside += 1;
    logger.error({ conversation, message, seq, code, reason }, "a message is set aside");
    this.#onSetAside({ conversation, message, seq, code, reason, at: clock.now() });
  }

  #waitMs({ attempts }: Cursor, error: unknown): number {
    const { retryMs, retryMsMax } = this.#options;
    const askedMs = error instanceof ModelError ? (error.retryAfterMs ?? 0) : 0;
    return Math.min(Math.max(retryMs * 2 ** attempts, askedMs), retryMsMax);
  }
}

/** Messages that are being learned, and by what right. */
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
