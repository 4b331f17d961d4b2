import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { seeded } from "../../kit/test/seeded.js";
import { openLru } from "./lru-fixture.js";

const SESSIONS = ["s1", "s2", "s3"];
const SCOPE_MAX = 6;
const MAX = 12;
/** Content of equal size, so that the largest session is the one with the most entries. */
const CONTENT = "always as long";

const step = fc.record({
  do: fc.constantFrom("store", "store", "store", "read", "forget", "advance"),
  session: fc.constantFrom(...SESSIONS),
  key: fc.nat(9),
});

/** Model with plain arrays: the keys of each session, least recently used first. */
class UseModel {
  readonly sessions = new Map(SESSIONS.map((session) => [session, [] as number[]]));

  use(session: string, key: number): void {
    this.drop(session, key);
    this.sessions.get(session)!.push(key);
  }

  drop(session: string, key: number): void {
    this.sessions.set(
      session,
      this.sessions.get(session)!.filter((other) => other !== key),
    );
  }

  /** Evicts from the first of equal sessions. */
  evict(): void {
    for (const keys of this.sessions.values()) while (keys.length > SCOPE_MAX) keys.shift();
    const count = () => [...this.sessions.values()].reduce((sum, keys) => sum + keys.length, 0);
    while (count() > MAX) {
      const largest = Math.max(...[...this.sessions.values()].map((keys) => keys.length));
      [...this.sessions.values()].find((keys) => keys.length === largest)!.shift();
    }
  }
}

describe("eviction", () => {
  it("keeps the same entries as plain arrays in order of use", async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
      const lru = await openLru({ scopeEntriesMax: SCOPE_MAX, entriesMax: MAX });
      // Sessions are ordered by their first entries.
      const model = new UseModel();
      for (const session of SESSIONS) {
        await calls(lru, { tier: "working", session }).store([{ key: "k0", content: CONTENT }]);
        model.use(session, 0);
      }
      for (const { do: action, session, key } of steps) {
        const { store, entry, forget } = calls(lru, { tier: "working", session });
        const isThere = model.sessions.get(session)!.includes(key);
        if (action === "store") {
          await store([{ key: `k${key}`, content: CONTENT }]);
          model.use(session, key);
        } else if (action === "read") {
          expect((await entry(`k${key}`)) !== undefined).toBe(isThere);
          if (isThere) model.use(session, key);
        } else if (action === "forget" && model.sessions.get(session)!.length > 1) {
          expect((await forget({ keys: [`k${key}`] })).deleted).toBe(Number(isThere));
          model.drop(session, key);
        } else lru.clock.advance(1);
        model.evict();
        const count = [...model.sessions.values()].reduce((sum, keys) => sum + keys.length, 0);
        expect(lru.plugin.stats!()).toMatchObject({ lru_entries: count, bodies_pinned: count });
      }
      for (const [session, keys] of model.sessions) {
        const { entries } = await calls(lru, { tier: "working", session }).retrieve();
        expect(entries.map((entry) => entry.key.name).sort()).toEqual(keys.map((key) => `k${key}`).sort());
      }
    });
    await seeded(property, 200);
  });
});
