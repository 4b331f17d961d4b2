import type { Identity } from "../tokens.js";

/** What is kept of a session. */
export interface StoredSession {
  /** Since its handshake. */
  readonly identity?: Identity | undefined;
}

/** Where sessions are kept, by their digests, for all gateways behind one address. */
export interface SessionStore {
  open(): Promise<void>;
  read(digest: string): Promise<StoredSession | undefined>;
  write(digest: string, session: StoredSession): Promise<void>;
  /** It was used: the time after which it is forgotten begins anew. Nothing where it has ended meanwhile. */
  renew(digest: string): Promise<void>;
  remove(digest: string): Promise<void>;
  /** Forgets those that nobody used for too long. @returns how many there are. */
  sweep(): Promise<number>;
}
