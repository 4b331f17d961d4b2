import type { Caller } from "./caller.js";

const COUNT_MAX = 10_000;
const BYTES_MAX = 16 * 1024 * 1024;
/** One that is larger is not kept, so that it takes the place of no others. */
const ENTRY_BYTES_MAX = 256 * 1024;

/** What is known of the latest answers that a model server stores, and that it does not know itself. */
export class LatestAnswers<T> {
  readonly #kept = new Map<string, { readonly value: T; readonly bytes: number }>();
  #bytes = 0;

  /** @param value JSON. */
  keep(caller: Caller, id: string, value: T): void {
    const bytes = Buffer.byteLength(JSON.stringify(value));
    if (bytes > ENTRY_BYTES_MAX) return;
    const name = nameOf(caller, id);
    this.#drop(name);
    this.#kept.set(name, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= COUNT_MAX && this.#bytes <= BYTES_MAX) return;
      this.#drop(oldest);
    }
  }

  /** Of the answer with this id. */
  of(caller: Caller, id: string | undefined): T | undefined {
    return id === undefined ? undefined : this.#kept.get(nameOf(caller, id))?.value;
  }

  #drop(name: string): void {
    this.#bytes -= this.#kept.get(name)?.bytes ?? 0;
    this.#kept.delete(name);
  }
}

/** What one agent's tools have found, and its user has asked, is for no other. */
function nameOf({ identity, user }: Caller, id: string): string {
  return JSON.stringify([identity.tenant, identity.agent, user, id]);
}
