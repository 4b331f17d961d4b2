/** A call of a client, with the moments at which it began and ended. Stores of a history have different values. */
export type Call = StoreCall | ReadCall | ForgetCall;

interface Timed {
  readonly key: string;
  /** Milliseconds of one monotonic clock, on which all clients run. */
  readonly startMs: number;
  /** Absent without an answer. The call may then have an effect at any later moment, or none. */
  endMs?: number;
}

export interface StoreCall extends Timed {
  readonly kind: "store";
  readonly value: number;
  revision?: number;
  /** A superseded store was deleted by a forget at the same time, before a read could return it. */
  outcome?: "created" | "updated" | "superseded";
}

export interface ReadCall extends Timed {
  readonly kind: "read";
  /** Null if there was no entry. */
  value?: number | null;
  revision?: number;
}

export interface ForgetCall extends Timed {
  readonly kind: "forget";
  deleted?: number;
}

export function callText({ startMs, endMs, ...call }: Call): string {
  const answer = endMs === undefined ? "not answered" : `until ${endMs.toFixed(1)} ms`;
  return `${JSON.stringify(call)}, from ${startMs.toFixed(1)} ms ${answer}`;
}
