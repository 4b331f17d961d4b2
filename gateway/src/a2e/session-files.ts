import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@membus/protocol";
import { PENDING_S, type SessionStore, type StoredSession } from "./session-store.js";

const FILE = /^[0-9a-f]{32}$/;
/** Age in seconds after which an unfinished temporary file is deleted. */
const DRAFT_S = 60;

/**
 * Stores each session as a file. The time of the file is the time of the last use. Before the handshake it is
 * earlier, so that the session ends sooner. A crash of the machine may lose the newest sessions.
 */
export class SessionFiles implements SessionStore {
  readonly #directory: string;
  readonly #idleS: number;
  readonly #clock: Clock;

  constructor(directory: string, idleS: number, clock: Clock) {
    this.#directory = directory;
    this.#idleS = idleS;
    this.#clock = clock;
  }

  async open(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
  }

  async read(digest: string): Promise<StoredSession | undefined> {
    try {
      return JSON.parse(await readFile(this.#pathOf(digest), "utf8")) as StoredSession;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      return ignoreMissing(error);
    }
  }

  /** Writes the file atomically. */
  async write(digest: string, session: StoredSession): Promise<void> {
    const path = this.#pathOf(digest);
    const draft = `${path}.${randomBytes(6).toString("hex")}`;
    await writeFile(draft, JSON.stringify(session), { mode: 0o600 });
    const now = this.#clock.now();
    const usedAt = session.identity === undefined ? now - this.#idleS + PENDING_S : now;
    await utimes(draft, usedAt, usedAt);
    await rename(draft, path);
  }

  async renew(digest: string): Promise<void> {
    const now = this.#clock.now();
    await utimes(this.#pathOf(digest), now, now).catch(ignoreMissing);
  }

  async remove(digest: string): Promise<void> {
    await rm(this.#pathOf(digest), { force: true });
  }

  async sweep(): Promise<number> {
    const now = this.#clock.now();
    let count = 0;
    for (const name of await readdir(this.#directory)) {
      const path = join(this.#directory, name);
      const usedAt = await stat(path).then(({ mtimeMs }) => mtimeMs / 1_000, ignoreMissing);
      if (usedAt === undefined) continue;
      // A gateway with a clock ahead of this one used it. Its time would pass too late.
      if (usedAt > now + PENDING_S) await utimes(path, now, now).catch(ignoreMissing);
      const isDraft = !FILE.test(name) && usedAt < now - DRAFT_S;
      if (usedAt < now - this.#idleS || isDraft) await rm(path, { force: true });
      else count++;
    }
    return count;
  }

  #pathOf(digest: string): string {
    return join(this.#directory, digest);
  }
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
