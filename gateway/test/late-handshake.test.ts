import { silentLogger } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { FakeClock } from "../../host/test/fake-clock.js";
import type { SessionStore, StoredSession } from "../src/a2e/session-store.js";
import { Sessions } from "../src/a2e/sessions.js";

const ADDRESS = "192.0.2.1";
const ADDRESS_MAX = 100;
const IDENTITY = { tenant: "default", agent: "alice" };

/** A store in memory. Its calls wait while it is held. */
class HeldStore implements SessionStore {
  readonly stored = new Map<string, StoredSession>();
  #opened: Promise<void> = Promise.resolve();
  release: () => void = () => {};

  hold(): void {
    this.#opened = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  async open(): Promise<void> {}
  async read(digest: string): Promise<StoredSession | undefined> {
    await this.#opened;
    return this.stored.get(digest);
  }
  async write(digest: string, session: StoredSession): Promise<void> {
    await this.#opened;
    this.stored.set(digest, session);
  }
  async renew(): Promise<void> {}
  async remove(digest: string): Promise<void> {
    await this.#opened;
    this.stored.delete(digest);
  }
  async sweep(): Promise<number> {
    return this.stored.size;
  }
}

async function openedSessions() {
  const store = new HeldStore();
  const ended: string[] = [];
  const onEnded = (digest: string) => ended.push(digest);
  const sessions = new Sessions(store, 1_000, { clock: new FakeClock(), logger: silentLogger, onEnded });
  const first = (await sessions.find(await sessions.create(ADDRESS)))!;
  for (let count = 1; count < ADDRESS_MAX; count++) await sessions.create(ADDRESS);
  return { store, ended, sessions, first };
}

describe("a handshake while its session is replaced by a newer one", () => {
  it("is rejected if the session is already being ended", async () => {
    const { store, ended, sessions, first } = await openedSessions();
    store.hold();
    const created = sessions.create(ADDRESS);
    const bound = sessions.bind(first, IDENTITY);
    store.release();
    await expect(bound).rejects.toMatchObject({ code: "unavailable" });
    await created;
    expect(ended).toEqual([first.digest]);
    expect(store.stored.has(first.digest)).toBe(false);
  });

  it("is rejected if the session has ended", async () => {
    const { store, sessions, first } = await openedSessions();
    await sessions.create(ADDRESS);
    await expect(sessions.bind(first, IDENTITY)).rejects.toMatchObject({ code: "unavailable" });
    expect(store.stored.has(first.digest)).toBe(false);
  });

  it("keeps the session if the handshake came first", async () => {
    const { store, ended, sessions, first } = await openedSessions();
    store.hold();
    const bound = sessions.bind(first, IDENTITY);
    const created = sessions.create(ADDRESS);
    store.release();
    await Promise.all([bound, created]);
    expect(ended).not.toContain(first.digest);
    expect(store.stored.get(first.digest)).toEqual({ identity: IDENTITY });
  });
});
