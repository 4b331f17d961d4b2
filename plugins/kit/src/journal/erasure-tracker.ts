import type { ErasedMark } from "../place/index.js";

/** State of the bytes of a forget: erased, to be erased by a time, or not before something else has happened. */
export type ErasureState =
  | { readonly erasedAt: number }
  | { readonly eraseBy: number }
  | { readonly waitsFor: "replica_down" | "files_set_aside" };

/** A range of records that forgot rows between two purges. */
interface ForgetRange {
  readonly firstSeq: number;
  lastSeq: number;
  /**
   * Newest record that added one of the forgotten rows. The log contains its bytes, and the bytes of older
   * versions.
   */
  newestSeq: number;
  /** Earliest time of a forget. Unix seconds. */
  at: number;
  isPurgeRequested: boolean;
  /** Whether later forgets belong to the next purge. */
  isClosed: boolean;
  isPurged: boolean;
}

/** Lead time of the work before the deadline, or half of the period if that is less. Seconds. */
const LEAD_S = 60;
/**
 * Limit of the ranges. Above it the latest ranges are joined. This takes days with a storage that cannot
 * purge.
 */
const FORGETS_MAX = 10_000;

/**
 * Tracks forgets with bytes in storage or in the log, and their deadlines. The state is rebuilt from the log
 * and the mark after a restart.
 */
export class ErasureTracker {
  #forgets: ForgetRange[] = [];
  #mark: ErasedMark;

  constructor(
    /** Seconds. */
    readonly withinS: number,
    mark: ErasedMark,
  ) {
    this.#mark = mark;
  }

  /** Adds a durable record that removes rows without replacement. `newestSeq`: see `Forgets`. */
  addForget(seq: number, newestSeq: number, at: number): void {
    if (seq <= this.#mark.seq) return;
    const last = this.#forgets.at(-1);
    if (last === undefined || (last.isClosed && this.#forgets.length < FORGETS_MAX)) {
      const range = { firstSeq: seq, lastSeq: seq, newestSeq, at };
      this.#forgets.push({ ...range, isPurgeRequested: false, isClosed: false, isPurged: false });
      return;
    }
    last.lastSeq = seq;
    last.newestSeq = Math.max(last.newestSeq, newestSeq);
    last.at = Math.min(last.at, at);
    last.isPurgeRequested = false;
    last.isPurged = false;
  }

  /** Records that storage is about to purge the rows removed up to `flushedSeq`. */
  purgeRequested(flushedSeq: number): void {
    for (const forgets of this.#forgets) {
      forgets.isClosed = true;
      forgets.isPurgeRequested ||= forgets.lastSeq <= flushedSeq;
    }
  }

  /** Records that the requested purge is complete. */
  purgeCompleted(): void {
    for (const forgets of this.#forgets) forgets.isPurged ||= forgets.isPurgeRequested;
  }

  /**
   * Returns the record before which the log must be erased because a deadline is near, or 0 if there is none.
   */
  overdueBefore(firstSeq: number, now: number): number {
    const isOverdue = (range: ForgetRange) =>
      range.isPurgeRequested && this.#isNear(range, now) && range.newestSeq >= firstSeq;
    return this.#forgets.reduce((end, one) => (isOverdue(one) ? Math.max(end, one.lastSeq + 1) : end), 0);
  }

  /** Returns whether all rows must be flushed, because a deadline is near and its forgets are not erased. */
  isFlushDue(firstSeq: number, now: number): boolean {
    const isLeft = ({ newestSeq, isPurgeRequested }: ForgetRange) =>
      !isPurgeRequested || newestSeq >= firstSeq;
    return this.#forgets.some((range) => this.#isNear(range, now) && isLeft(range));
  }

  /** Returns the number of purges that have not ended although the deadline of a forget is over. */
  overdueCount(now: number): number {
    return this.#forgets.filter(({ at }) => at + this.withinS < now).length;
  }

  #isNear({ at }: ForgetRange, now: number): boolean {
    return at <= now - this.withinS + Math.min(LEAD_S, this.withinS / 2);
  }

  /**
   * Returns the mark to persist for a log that starts at `firstSeq`, or undefined if it is unchanged. Call
   * `markPersisted` afterwards.
   */
  markAt(firstSeq: number, now: number): ErasedMark | undefined {
    const left = this.#forgets.findIndex(({ isPurged, newestSeq }) => !isPurged || newestSeq >= firstSeq);
    const last = left === -1 ? this.#forgets.at(-1) : this.#forgets[left - 1];
    return last && { seq: last.lastSeq, at: now };
  }

  /** Applies a mark that is on disk. */
  markPersisted(mark: ErasedMark): void {
    this.#mark = mark;
    this.#forgets = this.#forgets.filter(({ lastSeq }) => lastSeq > mark.seq);
  }

  /** Returns the state of a forget that was accepted at `at`, with its reply logged as record `seq`. */
  stateOf(seq: number, at: number): ErasureState {
    const first = this.#forgets[0];
    if (first !== undefined && first.firstSeq <= seq) return { eraseBy: at + this.withinS };
    return { erasedAt: Math.max(at, this.#mark.at) };
  }
}
