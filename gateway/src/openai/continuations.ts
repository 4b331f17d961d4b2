import type { Caller } from "./caller.js";
import type { Continuation } from "./model-api.js";

const COUNT_MAX = 10_000;
const BYTES_MAX = 16 * 1024 * 1024;

/** The latest continuations: the model server knows nothing of them, and refuses an answer that has calls without outputs. */
export class Continuations {
  readonly #kept = new Map<string, { readonly continuation: Continuation; readonly bytes: number }>();
  #bytes = 0;

  keep(caller: Caller, continuation: Continuation): void {
    const bytes = JSON.stringify(continuation).length;
    const name = nameOf(caller, continuation.shownId);
    this.#drop(name);
    this.#kept.set(name, { continuation, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= COUNT_MAX && this.#bytes <= BYTES_MAX) return;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    this.#bytes -= this.#kept.get(name)?.bytes ?? 0;
    this.#kept.delete(name);
  }

  /** Behind the answer with this id. */
  of(caller: Caller, id: string | undefined): Continuation | undefined {
    return id === undefined ? undefined : this.#kept.get(nameOf(caller, id))?.continuation;
  }
}

/** What one agent's tools have found is for no other. */
function nameOf({ identity, user }: Caller, id: string): string {
  return JSON.stringify([identity.tenant, identity.agent, user, id]);
}
