import type { Caller } from "./caller.js";

const COUNT_MAX = 10_000;
const BYTES_MAX = 16 * 1024 * 1024;
/** Bytes of one value. A larger value is not kept, because it would displace many others. */
const ENTRY_BYTES_MAX = 256 * 1024;

/** Remembers data about the latest answers that a model server stores. */
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

  /** Returns the value of the answer with this id. */
  of(caller: Caller, id: string | undefined): T | undefined {
    return id === undefined ? undefined : this.#kept.get(nameOf(caller, id))?.value;
  }

  #drop(name: string): void {
    this.#bytes -= this.#kept.get(name)?.bytes ?? 0;
    this.#kept.delete(name);
  }
}

/** Includes the agent and the user, so that others cannot read the value. */
function nameOf({ identity, user }: Caller, id: string): string {
  return JSON.stringify([identity.tenant, identity.agent, user, id]);
}
