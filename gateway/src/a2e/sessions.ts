import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, MemoryError } from "@membus/protocol";
import type { Identity } from "../tokens.js";

/** What is known of a session. */
export interface Session {
  /** Names it where its id, which is a secret, must not be read: in file names, on subjects, as session of the working tier. */
  readonly digest: string;
  /** Since its handshake. */
  readonly identity: Identity | undefined;
}

/** The sessions of A2E. They outlive the process: a client whose session is forgotten times out for ever. */
export interface Sessions {
  /** @returns its id. @throws {MemoryError} `overloaded` where there are too many. */
  create(): Promise<string>;
  find(id: string): Promise<Session | undefined>;
  bind(session: Session, identity: Identity): Promise<void>;
  end(session: Session): Promise<void>;
}

export interface SessionFilesOptions {
  readonly sessionIdleS: number;
  readonly sessionCountMax: number;
}

const ID = /^[0-9a-f]{32}$/;
const FILE = /^[0-9a-f]{32}$/;
const SWEEP_MS = 60_000;
/** One that is used is marked as such, not each time. */
const TOUCH_S = 60;
/** What a handshake bound stays so: it is not read for each message. That it ended elsewhere is known so late. */
const KNOWN_S = 1;
const KNOWN_MAX = 10_000;

export function digestOf(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 32);
}

/**
 * A file a session, so that gateways that share the directory share the sessions. Its time is when the session was last
 * used. A crash of the machine may lose the newest.
 */
export class SessionFiles implements Sessions {
  readonly #directory: string;
  readonly #options: SessionFilesOptions;
  readonly #clock: Clock;
  readonly #touchedAt = new Map<string, number>();
  /** Sessions after their handshake as they were read, those read first at the front. */
  readonly #known = new Map<string, { readonly session: Session; readonly readAt: number }>();
  #count = 0;
  #cancelSweep: (() => void) | undefined;

  constructor(directory: string, options: SessionFilesOptions, clock: Clock) {
    this.#directory = directory;
    this.#options = options;
    this.#clock = clock;
  }

  /** As last counted; those of other gateways come late. */
  get count(): number {
    return this.#count;
  }

  async open(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await this.#sweep();
  }

  close(): void {
    this.#cancelSweep?.();
  }

  async create(): Promise<string> {
    if (this.#count >= this.#options.sessionCountMax) {
      throw new MemoryError("overloaded", "there are too many sessions", { retry_after_ms: SWEEP_MS });
    }
    this.#count++;
    const id = randomBytes(16).toString("hex");
    await this.#write(digestOf(id), undefined);
    return id;
  }

  async find(id: string): Promise<Session | undefined> {
    if (!ID.test(id)) return undefined;
    const digest = digestOf(id);
    const known = this.#known.get(digest);
    if (known !== undefined && this.#clock.now() - known.readAt < KNOWN_S) return known.session;
    const identity = await this.#read(digest);
    if (identity === MISSING) return undefined;
    const session = { digest, identity };
    if (identity !== undefined) this.#know(session);
    await this.#touch(digest);
    return session;
  }

  async bind({ digest }: Session, identity: Identity): Promise<void> {
    await this.#write(digest, identity);
  }

  async end({ digest }: Session): Promise<void> {
    await rm(this.#pathOf(digest), { force: true });
    this.#known.delete(digest);
    this.#touchedAt.delete(digest);
    this.#count = Math.max(0, this.#count - 1);
  }

  #know(session: Session): void {
    this.#known.delete(session.digest);
    this.#known.set(session.digest, { session, readAt: this.#clock.now() });
    if (this.#known.size <= KNOWN_MAX) return;
    const [oldest] = this.#known.keys();
    this.#known.delete(oldest!);
  }

  async #read(digest: string): Promise<Identity | undefined | typeof MISSING> {
    try {
      const { identity } = JSON.parse(await readFile(this.#pathOf(digest), "utf8")) as {
        identity?: Identity;
      };
      return identity;
    } catch (error) {
      if (error instanceof SyntaxError || isMissing(error)) return MISSING;
      throw error;
    }
  }

  /** Whole or not at all, whoever reads meanwhile. */
  async #write(digest: string, identity: Identity | undefined): Promise<void> {
    const path = this.#pathOf(digest);
    const draft = `${path}.${randomBytes(6).toString("hex")}`;
    await writeFile(draft, JSON.stringify({ identity }), { mode: 0o600 });
    await rename(draft, path);
  }

  async #touch(digest: string): Promise<void> {
    const now = this.#clock.now();
    if (now - (this.#touchedAt.get(digest) ?? 0) < TOUCH_S) return;
    this.#touchedAt.set(digest, now);
    await utimes(this.#pathOf(digest), now, now).catch(ignoreMissing);
  }

  async #sweep(): Promise<void> {
    const oldest = this.#clock.now() - this.#options.sessionIdleS;
    let count = 0;
    for (const name of await readdir(this.#directory)) {
      const path = join(this.#directory, name);
      const usedAt = await stat(path).then(({ mtimeMs }) => mtimeMs / 1_000, ignoreMissing);
      if (usedAt === undefined) continue;
      const isDraft = !FILE.test(name) && usedAt < this.#clock.now() - TOUCH_S;
      if (usedAt < oldest || isDraft) await rm(path, { force: true });
      else count++;
    }
    this.#count = count;
    for (const [digest, at] of this.#touchedAt) if (at < oldest) this.#touchedAt.delete(digest);
    this.#cancelSweep = this.#clock.after(SWEEP_MS, () => void this.#sweep(), { background: true });
  }

  #pathOf(digest: string): string {
    return join(this.#directory, digest);
  }
}

const MISSING = Symbol("no such session");

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
