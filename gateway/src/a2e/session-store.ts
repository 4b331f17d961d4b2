import type { Identity } from "../tokens.js";

/** Seconds that a session may last without a handshake. */
export const PENDING_S = 60;

/** The stored data of a session. */
export interface StoredSession {
  /** Set by the handshake. */
  readonly identity?: Identity | undefined;
  /** Unix seconds. Absent after the handshake. */
  readonly createdAt?: number | undefined;
}

/** Stores sessions by digest, for all gateways behind one address. */
export interface SessionStore {
  open(): Promise<void>;
  read(digest: string): Promise<StoredSession | undefined>;
  /** A store may delete a session without an identity after `PENDING_S`. */
  write(digest: string, session: StoredSession): Promise<void>;
  /** Restarts the idle time of a session. Does nothing if the session has ended. */
  renew(digest: string): Promise<void>;
  remove(digest: string): Promise<void>;
  /** Deletes idle sessions. @returns the number of sessions. */
  sweep(): Promise<number>;
}
