import { networkOf } from "@membus/http";

/** Sessions without a handshake that one address may have. A newer one replaces the oldest. */
const ADDRESS_MAX = 100;

export interface PendingSession {
  readonly network: string;
  readonly createdAt: number;
}

/** The sessions of this gateway without a handshake, oldest first, by digest. */
export class PendingSessions {
  readonly #countMax: number;
  readonly #sessions = new Map<string, PendingSession>();

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  /**
   * Adds a session, so that a caller without a token can use only a small part of all sessions.
   * @returns the digest of the session that must be taken for it, undefined if there is room.
   */
  add(digest: string, address: string, createdAt: number): string | undefined {
    const network = networkOf(address);
    const own = [...this.#sessions].filter(([, other]) => other.network === network).map(([other]) => other);
    const isFull = this.#sessions.size >= this.#countMax;
    const [replaced] = own.length >= ADDRESS_MAX ? own : isFull ? this.#sessions.keys() : [];
    this.#sessions.set(digest, { network, createdAt });
    return replaced;
  }

  /** Removes and returns a session, undefined if it is unknown. */
  take(digest: string): PendingSession | undefined {
    const session = this.#sessions.get(digest);
    this.#sessions.delete(digest);
    return session;
  }

  /** Adds a session that was taken before, as the oldest. */
  putBack(digest: string, session: PendingSession): void {
    const others = [...this.#sessions];
    this.#sessions.clear();
    for (const [other, kept] of [[digest, session] as const, ...others]) this.#sessions.set(other, kept);
  }

  /** Returns the sessions that were created at `time` or before. */
  createdUntil(time: number): string[] {
    return [...this.#sessions].filter(([, { createdAt }]) => createdAt <= time).map(([digest]) => digest);
  }
}
