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
   * @returns the digest of the session that it replaces, undefined if there is room.
   */
  add(digest: string, address: string, createdAt: number): string | undefined {
    const network = networkOf(address);
    const own = [...this.#sessions].filter(([, other]) => other.network === network).map(([other]) => other);
    const isFull = this.#sessions.size >= this.#countMax;
    const [replaced] = own.length >= ADDRESS_MAX ? own : isFull ? this.#sessions.keys() : [];
    if (replaced !== undefined) this.#sessions.delete(replaced);
    this.#sessions.set(digest, { network, createdAt });
    return replaced;
  }

  /** Removes and returns a session, undefined if it is unknown. */
  take(digest: string): PendingSession | undefined {
    const session = this.#sessions.get(digest);
    this.#sessions.delete(digest);
    return session;
  }

  putBack(digest: string, session: PendingSession): void {
    this.#sessions.set(digest, session);
  }

  /** Removes and returns the sessions that were created at `time` or before. */
  takeUntil(time: number): string[] {
    const taken = [...this.#sessions].filter(([, { createdAt }]) => createdAt <= time);
    for (const [digest] of taken) this.#sessions.delete(digest);
    return taken.map(([digest]) => digest);
  }
}
