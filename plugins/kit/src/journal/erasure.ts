/** Up to which record the bytes of what was forgotten are gone from disk, and since when. */
export interface ErasedMark {
  readonly seq: number;
  /** Unix seconds; 0 before the first. */
  readonly at: number;
}

/** What became of the bytes that a forget took. */
export type ErasureState = { readonly erasedAt: number } | { readonly eraseBy: number };

/** Records that forgot something between two purges. */
interface Forgets {
  readonly firstSeq: number;
  lastSeq: number;
  /** The newest record that came with a row which they took: the log holds its bytes, and those of older versions. */
  newestSeq: number;
  /** Unix seconds: the earliest. */
  at: number;
  /** The log's next record when storage was asked to purge them: a segment begins there. */
  endSeq: number | undefined;
  /** Later ones are for the next purge. */
  isClosed: boolean;
  isPurged: boolean;
}

/** The work begins so long before its time is over, or half of the time if that is less. */
const LEAD_S = 60;
/** Past it the latest are joined: it takes days of a storage that cannot purge. */
const FORGETS_MAX = 10_000;

/**
 * Which forgets have left their bytes on disk, in storage or in the log, and until when they must be gone. What is known
 * follows from the log and the mark, after a restart too.
 */
export class Erasure {
  #forgets: Forgets[] = [];
  #mark: ErasedMark;

  constructor(
    /** Seconds. */
    readonly withinS: number,
    mark: ErasedMark,
  ) {
    this.#mark = mark;
  }

  /** A record that takes rows without others in their place is in the log for good. `newestSeq`: see `Forgets`. */
  forgot(seq: number, newestSeq: number, at: number): void {
    if (seq <= this.#mark.seq) return;
    const last = this.#forgets.at(-1);
    if (last === undefined || (last.isClosed && this.#forgets.length < FORGETS_MAX)) {
      const range = { firstSeq: seq, lastSeq: seq, newestSeq, at };
      this.#forgets.push({ ...range, endSeq: undefined, isClosed: false, isPurged: false });
      return;
    }
    last.lastSeq = seq;
    last.newestSeq = Math.max(last.newestSeq, newestSeq);
    last.at = Math.min(last.at, at);
    last.endSeq = undefined;
    last.isPurged = false;
  }

  /** Storage is asked to purge what the records up to `flushedSeq` took; a segment of the log begins at `endSeq`. */
  asked(flushedSeq: number, endSeq: number): void {
    for (const forgets of this.#forgets) {
      forgets.isClosed = true;
      if (forgets.lastSeq <= flushedSeq) forgets.endSeq ??= endSeq;
    }
  }

  /** Storage has purged all that it was asked for. */
  purged(): void {
    for (const forgets of this.#forgets) forgets.isPurged ||= forgets.endSeq !== undefined;
  }

  /** The record before which the log must let go of all, as the time of what was forgotten is nearly over; 0: none. */
  overdueBefore(firstSeq: number, now: number): number {
    const from = now - this.withinS + Math.min(LEAD_S, this.withinS / 2);
    const isOverdue = ({ at, newestSeq }: Forgets) => at <= from && newestSeq >= firstSeq;
    return this.#forgets.reduce((end, one) => (isOverdue(one) ? Math.max(end, one.endSeq ?? 0) : end), 0);
  }

  /** Where the log begins at `firstSeq`: the mark to be kept, and then `settled`. Undefined where it is the same. */
  markAt(firstSeq: number, now: number): ErasedMark | undefined {
    const left = this.#forgets.findIndex(({ isPurged, newestSeq }) => !isPurged || newestSeq >= firstSeq);
    const last = left === -1 ? this.#forgets.at(-1) : this.#forgets[left - 1];
    return last && { seq: last.lastSeq, at: now };
  }

  /** The mark is kept: what it says holds after a crash. */
  settled(mark: ErasedMark): void {
    this.#mark = mark;
    this.#forgets = this.#forgets.filter(({ lastSeq }) => lastSeq > mark.seq);
  }

  /** Of a forget that was accepted at `at` and whose reply was logged as record `seq`. */
  stateOf(seq: number, at: number): ErasureState {
    const first = this.#forgets[0];
    if (first !== undefined && first.firstSeq <= seq) return { eraseBy: at + this.withinS };
    return { erasedAt: Math.max(at, this.#mark.at) };
  }
}
