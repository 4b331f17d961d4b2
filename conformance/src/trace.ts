import { isMemoryError } from "@membus/protocol";
import { shown } from "./shown.js";

const CALLS_KEPT = 20;

/** One exchange, as a report shows it. */
export interface TracedCall {
  /** Who sent what: `first@default memory/store/req`. */
  readonly call: string;
  readonly sent: string;
  readonly got: string;
}

/** The last exchanges of a check: what somebody needs to send it again by hand. */
export class Trace {
  readonly #calls: TracedCall[] = [];

  get calls(): readonly TracedCall[] {
    return this.#calls;
  }

  /** Records what `work` comes to, and passes it on. */
  async record<Reply>(call: string, sent: unknown, work: () => Promise<Reply>): Promise<Reply> {
    const request = shown(sent);
    try {
      const reply = await work();
      this.#add({ call, sent: request, got: shown(reply) });
      return reply;
    } catch (error) {
      this.#add({ call, sent: request, got: shownError(error) });
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
