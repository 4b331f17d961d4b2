import { parseRequestSubject, type RequestAddress } from "@membus/protocol";
import { RecentMap } from "./recent-map.js";

const SUBJECTS_KEPT = 4_096;

/** Reads the subjects of requests, and remembers them: an agent sends many requests on few subjects. */
export class AddressBook {
  readonly #prefix: string;
  readonly #known = new RecentMap<string, RequestAddress>(SUBJECTS_KEPT);

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** @throws {MemoryError} `invalid_message` for a subject that is no request's. */
  addressOf(subject: string): RequestAddress {
    const known = this.#known.get(subject);
    if (known !== undefined) return known;
    const address = parseRequestSubject(subject, this.#prefix);
    this.#known.set(subject, address);
    return address;
  }
}
