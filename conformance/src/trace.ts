import { isMemoryError, type Message } from "@membus/protocol";
import type { Discrepancy } from "./expect.js";
import { pending } from "./fixtures/pending.js";
import { shown } from "./report/shown.js";
import { formFaultOf } from "./run/reply-form.js";
import type { TracedStep } from "./run/traced-step.js";
import { stackFrames } from "./stack-frames.js";

const CALLS_KEPT = 20;
/** Maximum number of kept steps. Larger than any generated sequence. */
const STEPS_KEPT = 500;

/** One exchange in the form that a report shows. */
export interface TracedCall {
  /** Sender and operation: a subject, or `first@default memory/store/req`. */
  readonly call: string;
  readonly sent: string;
  readonly got: string;
  /** Stack of an unexpected error, at most 8 frames. Absent without such an error. */
  readonly stack?: readonly string[];
}

/** Records the last exchanges of a check, so that they can be sent again by hand. */
export class Trace {
  readonly #calls: TracedCall[] = [];
  readonly #steps: TracedStep[] = [];
  #formFault: Discrepancy | undefined;
  #endedCount = 0;
  #isWaiting = false;

  /** Number of calls that have ended. `clear` does not reset it. */
  get endedCount(): number {
    return this.#endedCount;
  }

  /** Whether the check waits for something that may take longer than a call. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  get calls(): readonly TracedCall[] {
    return this.#calls;
  }

  get steps(): readonly TracedStep[] {
    return this.#steps;
  }

  /** Records the result of `work` and returns it. */
  record<Reply>(call: string, sent: unknown, work: () => Promise<Reply>): Promise<Reply> {
    return pending(this.#record(call, sent, work));
  }

  /** Runs work that may take longer than the limit of a call, such as a restart of the host. */
  async wait<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isWaiting = true;
    try {
      return await work();
    } finally {
      this.#isWaiting = false;
      this.#endedCount++;
    }
  }

  /** Records the result of `work` together with a request that can be sent again. */
  recordStep<Reply>(call: string, step: TracedStep, work: () => Promise<Reply>): Promise<Reply> {
    this.#steps.push(step);
    if (this.#steps.length > STEPS_KEPT) this.#steps.shift();
    return this.record(call, step.message, work);
  }

  /** Returns the first schema violation of a received message. */
  get formFault(): Discrepancy | undefined {
    return this.#formFault;
  }

  /** Records a received message, even if no check inspects its form. */
  noteForm(message: Message): void {
    this.#formFault ??= formFaultOf(message);
  }

  /** Clears the record before a check starts again. */
  clear(): void {
    this.#calls.length = 0;
    this.#steps.length = 0;
  }

  async #record<Reply>(call: string, sent: unknown, work: () => Promise<Reply>): Promise<Reply> {
    const request = shown(sent);
    try {
      const reply = await work();
      this.#add({ call, sent: request, got: shown(reply) });
      return reply;
    } catch (error) {
      const stack = isMemoryError(error) ? stackFrames(error) : [];
      this.#add({ call, sent: request, got: shownError(error), ...(stack.length > 0 && { stack }) });
      throw error;
    }
  }

  #add(call: TracedCall): void {
    this.#endedCount++;
    this.#calls.push(call);
    if (this.#calls.length > CALLS_KEPT) this.#calls.shift();
  }
}

function shownError(error: unknown): string {
  if (isMemoryError(error))
    return `error ${shown({ code: error.code, message: error.message, detail: error.detail })}`;
  return `threw ${String(error)}`;
}
