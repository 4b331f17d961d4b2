import type { Identity } from "../tokens.js";

/** The stored data of a session. */
export interface StoredSession {
  /** Set by the handshake. */
  readonly identity?: Identity | undefined;
}

/** Stores sessions by digest, for all gateways behind one address. */
export interface SessionStore {
  open(): Promise<void>;
  read(digest: string): Promise<StoredSession | undefined>;
  write(digest: string, session: StoredSession): Promise<void>;
  /** Restarts the idle time of a session. Does nothing if the session has ended. */
  renew(digest: string): Promise<void>;
  remove(digest: string): Promise<void>;
  /** Deletes idle sessions. @returns the number of sessions. */
  sweep(): Promise<number>;
}
