import { isMemoryError, type Message } from "@membus/protocol";
import type { Discrepancy } from "./expect.js";
import { pending } from "./fixtures/pending.js";
import { shown } from "./report/shown.js";
import { formFaultOf } from "./run/reply-form.js";
import type { TracedStep } from "./run/traced-step.js";
import { stackFrames } from "./stack-frames.js";

const CALLS_KEPT = 20;
/** More than any generated sequence has. */
const STEPS_KEPT = 500;

/** One exchange, as a report shows it. */
export interface TracedCall {
  /** Who sent what: a subject, or `first@default memory/store/req`. */
  readonly call: string;
  readonly sent: string;
  readonly got: string;
  /** Where what nobody expects was thrown, at most 8 frames; absent where nothing was. */
  readonly stack?: readonly string[];
}

/** The last exchanges of a check: what somebody needs to send it again by hand. */
export class Trace {
  readonly #calls: TracedCall[] = [];
  readonly #steps: TracedStep[] = [];
  #formFault: Discrepancy | undefined;

  get calls(): readonly TracedCall[] {
    return this.#calls;
  }

  get steps(): readonly TracedStep[] {
    return this.#steps;
  }

  /** Records what `work` comes to, and passes it on. */
  record<Reply>(call: string, sent: unknown, work: () => Promise<Reply>): Promise<Reply> {
    return pending(this.#record(call, sent, work));
  }

  /** The same for a request that can be sent again. */
  recordStep<Reply>(call: string, step: TracedStep, work: () => Promise<Reply>): Promise<Reply> {
    this.#steps.push(step);
    if (this.#steps.length > STEPS_KEPT) this.#steps.shift();
    return this.record(call, step.message, work);
  }

  /** The first message that came without the form of its type. */
  get formFault(): Discrepancy | undefined {
    return this.#formFault;
  }

  /** A message that came, whether a check looks at its form or not. */
  noteForm(message: Message): void {
    this.#formFault ??= formFaultOf(message);
  }

  /** Forgets what was, where a check begins anew. */
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
    this.#calls.push(call);
    if (this.#calls.length > CALLS_KEPT) this.#calls.shift();
  }
}

function shownError(error: unknown): string {
  if (isMemoryError(error))
    return `error ${shown({ code: error.code, message: error.message, detail: error.detail })}`;
  return `threw ${String(error)}`;
}
