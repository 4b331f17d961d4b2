import { createHash, randomBytes } from "node:crypto";
import { type Clock, isMemoryError, type Logger, MemoryError } from "@membus/protocol";
import type { Identity } from "../tokens.js";
import type { SessionStore, StoredSession } from "./session-store.js";

/** What is known of a session. */
export interface Session extends StoredSession {
  /** Names it where its id, which is a secret, must not be read: in the store, on subjects, as session of the working tier. */
  readonly digest: string;
}

interface KnownSession {
  readonly session: Session;
  readonly readAt: number;
}

const ID = /^[0-9a-f]{32}$/;
const SWEEP_MS = 60_000;
/** One that is used is marked as such, not each time. */
const RENEW_S = 60;
/** What a handshake bound stays so: it is not read for each message. That it ended elsewhere is known so late. */
const KNOWN_S = 1;
const KNOWN_MAX = 10_000;

export function digestOf(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 32);
}

/** The sessions of A2E. They outlive the process: a client whose session is forgotten times out for ever. */
export class Sessions {
  readonly #store: SessionStore;
  readonly #countMax: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #renewedAt = new Map<string, number>();
  /** Sessions after their handshake as they were read, those read first at the front. */
  readonly #known = new Map<string, KnownSession>();
  #count = 0;
  #isClosed = false;
  #cancelSweep: (() => void) | undefined;

  constructor(store: SessionStore, countMax: number, { clock, logger }: { clock: Clock; logger: Logger }) {
    this.#store = store;
    this.#countMax = countMax;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** As last counted; those of other gateways come late. */
  get count(): number {
    return this.#count;
  }

  async open(): Promise<void> {
    await this.#store.open();
    this.#count = await this.#store.sweep();
    this.#sweepLater();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelSweep?.();
  }

  /** @returns its id. @throws {MemoryError} `overloaded` where there are too many. */
  async create(): Promise<string> {
    if (this.#count >= this.#countMax) {
      throw new MemoryError("overloaded", "there are too many sessions", { retry_after_ms: SWEEP_MS });
    }
    this.#count++;
    const id = randomBytes(16).toString("hex");
    await this.#store.write(digestOf(id), {});
    return id;
  }

  async find(id: string): Promise<Session | undefined> {
    if (!ID.test(id)) return undefined;
    const digest = digestOf(id);
    const known = this.#known.get(digest);
    if (known !== undefined && this.#clock.now() - known.readAt < KNOWN_S) return known.session;
    try {
      return await this.#read(digest);
    } catch (error) {
      // A store that cannot be reached for a while ends no session that is known, and is not asked for each message.
      if (known === undefined || !isMemoryError(error)) throw error;
      this.#logger.warn({ err: error }, "sessions cannot be read: those that are known go on");
      this.#know(known.session);
      return known.session;
    }
  }

  async bind({ digest }: Session, identity: Identity): Promise<void> {
    await this.#store.write(digest, { identity });
    this.#know({ digest, identity });
  }

  async end({ digest }: Session): Promise<void> {
    await this.#store.remove(digest);
    this.#known.delete(digest);
    this.#renewedAt.delete(digest);
    this.#count = Math.max(0, this.#count - 1);
  }

  async #read(digest: string): Promise<Session | undefined> {
    const stored = await this.#store.read(digest);
    if (stored === undefined) {
      this.#known.delete(digest);
      return undefined;
    }
    const session = { digest, identity: stored.identity };
    if (session.identity !== undefined) this.#know(session);
    await this.#renew(digest).catch((error: unknown) => {
      this.#logger.warn({ err: error }, "a session was not renewed");
    });
    return session;
  }

  #know(session: Session): void {
    this.#known.delete(session.digest);
    this.#known.set(session.digest, { session, readAt: this.#clock.now() });
    if (this.#known.size <= KNOWN_MAX) return;
    const [oldest] = this.#known.keys();
    this.#known.delete(oldest!);
  }

  async #renew(digest: string): Promise<void> {
    const now = this.#clock.now();
    if (now - (this.#renewedAt.get(digest) ?? 0) < RENEW_S) return;
    this.#renewedAt.set(digest, now);
    await this.#store.renew(digest);
  }

  #sweepLater(): void {
    if (this.#isClosed) return;
    this.#cancelSweep = this.#clock.after(SWEEP_MS, () => void this.#sweep(), { background: true });
  }

  async #sweep(): Promise<void> {
    try {
      this.#count = await this.#store.sweep();
    } catch (error) {
      this.#logger.warn({ err: error }, "sessions could not be counted");
    }
    const oldest = this.#clock.now() - RENEW_S;
    for (const [digest, at] of this.#renewedAt) if (at < oldest) this.#renewedAt.delete(digest);
    this.#sweepLater();
  }
}
