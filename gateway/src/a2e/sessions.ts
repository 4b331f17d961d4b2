import { createHash, randomBytes } from "node:crypto";
import { type Clock, isMemoryError, MemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { Identity } from "../tokens.js";
import { PendingSessions } from "./pending-sessions.js";
import { PENDING_S, type SessionStore, type StoredSession } from "./session-store.js";

/** A session of a client. */
export interface Session extends StoredSession {
  /**
   * Identifies the session where its id must not appear, because the id is a secret: in the store, on
   * subjects, and as session of the working tier.
   */
  readonly digest: string;
}

export interface SessionsDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with the digest of a session that ends without its handshake. */
  readonly onEnded: (digest: string) => void;
}

interface KnownSession {
  readonly session: Session;
  readonly readAt: number;
}

const ID = /^[0-9a-f]{32}$/;
const SWEEP_MS = 5_000;
/** Sweeps after which the store is counted. */
const COUNT_SWEEPS = 12;
const RETRY_AFTER_MS = 60_000;
/** Interval in seconds in which a session in use is renewed. */
const RENEW_S = 60;
/**
 * Seconds for which a session is cached after its handshake. The gateway notices after this time that another
 * gateway ended the session.
 */
const KNOWN_S = 1;
const KNOWN_MAX = 10_000;
/** Sessions without a handshake that a gateway keeps, at most half of all sessions. */
const PENDING_MAX = 1_000;

export function digestOf(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 32);
}

/** The sessions of A2E. They outlive the process, because the SDK does not repeat its handshake. */
export class Sessions {
  readonly #store: SessionStore;
  readonly #countMax: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #pending: PendingSessions;
  /** Sessions that are being ended without a handshake. */
  readonly #ending = new Set<string>();
  readonly #renewedAt = new Map<string, number>();
  /** Cached sessions after their handshake, oldest first. */
  readonly #known = new Map<string, KnownSession>();
  readonly #onEnded: (digest: string) => void;
  #count = 0;
  #sweeps = 0;
  #isClosed = false;
  #cancelSweep: (() => void) | undefined;

  constructor(store: SessionStore, countMax: number, { clock, logger, onEnded }: SessionsDependencies) {
    this.#store = store;
    this.#countMax = countMax;
    this.#pending = new PendingSessions(Math.min(PENDING_MAX, Math.ceil(countMax / 2)));
    this.#clock = clock;
    this.#logger = logger;
    this.#onEnded = onEnded;
  }

  /** Number of sessions at the last count, including the sessions of other gateways. */
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

  /**
   * Creates a session. It ends after a minute without a handshake, or earlier if the address creates many.
   * @returns its id. @throws {MemoryError} `overloaded` if there are too many sessions.
   */
  async create(address: string): Promise<string> {
    const id = randomBytes(16).toString("hex");
    const digest = digestOf(id);
    const createdAt = this.#clock.now();
    const replaced = this.#pending.add(digest, address, createdAt);
    if (replaced !== undefined) await this.#endPending(replaced);
    if (this.#count >= this.#countMax) {
      this.#pending.take(digest);
      throw new MemoryError("overloaded", "there are too many sessions", { retry_after_ms: RETRY_AFTER_MS });
    }
    this.#count++;
    await this.#store.write(digest, { createdAt });
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
      // While the store is unavailable, cached sessions go on, and the store is not queried for each
      // message.
      if (known === undefined || !isMemoryError(error)) throw error;
      this.#logger.warn({ err: error }, "failed to read sessions, cached sessions go on");
      this.#know(known.session);
      return known.session;
    }
  }

  /** @throws {MemoryError} `unavailable` if the session has ended, or is being ended. */
  async bind({ digest }: Session, identity: Identity): Promise<void> {
    if (this.#ending.has(digest)) throw hasEnded();
    const pending = this.#pending.take(digest);
    try {
      if ((await this.#store.read(digest)) === undefined) throw hasEnded();
      await this.#store.write(digest, { identity });
    } catch (error) {
      if (pending !== undefined) this.#pending.putBack(digest, pending);
      throw error;
    }
    this.#know({ digest, identity });
  }

  async end({ digest }: Pick<Session, "digest">): Promise<void> {
    await this.#store.remove(digest);
    this.#pending.take(digest);
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
    if (session.identity === undefined) {
      const isOver = Math.abs(this.#clock.now() - (stored.createdAt ?? 0)) >= PENDING_S;
      return isOver ? undefined : session;
    }
    this.#know(session);
    await this.#renew(digest).catch((error: unknown) => {
      this.#logger.warn({ err: error }, "failed to renew a session");
    });
    return session;
  }

  /** Ends a session, unless another gateway received its handshake. */
  async #endPending(digest: string): Promise<void> {
    if (this.#pending.take(digest) === undefined) return;
    this.#ending.add(digest);
    try {
      if ((await this.#store.read(digest))?.identity !== undefined) return;
      await this.end({ digest });
      this.#onEnded(digest);
    } catch (error) {
      this.#logger.warn({ err: error }, "failed to end a session without a handshake");
    } finally {
      this.#ending.delete(digest);
    }
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
    for (const digest of this.#pending.createdUntil(this.#clock.now() - PENDING_S)) {
      await this.#endPending(digest);
    }
    if (++this.#sweeps % COUNT_SWEEPS === 0) await this.#recount();
    const oldest = this.#clock.now() - RENEW_S;
    for (const [digest, at] of this.#renewedAt) if (at < oldest) this.#renewedAt.delete(digest);
    this.#sweepLater();
  }

  async #recount(): Promise<void> {
    try {
      this.#count = await this.#store.sweep();
    } catch (error) {
      this.#logger.warn({ err: error }, "failed to count sessions");
    }
  }
}

function hasEnded(): MemoryError {
  return new MemoryError("unavailable", "the session has ended");
}
