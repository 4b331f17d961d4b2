import { parseOptions, scopeId } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { calls } from "../../kit/test/kit-calls.js";
import { type ScopeFields, scope } from "../../kit/test/kit-requests.js";
import { LruOptionsSchema } from "../src/index.js";
import { LruRetention } from "../src/lru-retention.js";
import { openLru } from "./lru-fixture.js";

const KIB = 1024;
const MIB = 1024 * KIB;

describe("an agent's flood", () => {
  it.each([
    ["of namespaces", (at: number) => ({ namespace: `n${at}` })],
    ["of sessions", (at: number) => ({ session: `s${at}` })],
    ["of entries", () => ({})],
  ])("%s evicts no entries of an agent below an equal share", async (_, placeOf) => {
    const lru = await openLru({ bytesMax: MIB });
    const bob = calls(lru, { tier: "working", agent: "bob" });
    const entries = Array.from({ length: 200 }, (_, at) => ({
      key: `k${at}`,
      content: "what bob has to know",
    }));
    await bob.store(entries);
    for (let at = 0; at < 2_000; at++) {
      await calls(lru, { tier: "working", agent: "eve", ...placeOf(at) }).store([{ key: `k${at}` }]);
    }
    expect((await bob.retrieve()).total).toBe(200);
    expect(new Set(lru.changes.map(({ agent }) => agent))).toEqual(new Set(["eve"]));
  });

  it("under many names of a tenant evicts no entries of another tenant", async () => {
    const lru = await openLru({ bytesMax: MIB });
    const bob = calls(lru, { tier: "working", tenant: "other", agent: "bob" });
    await bob.store(
      Array.from({ length: 300 }, (_, at) => ({ key: `k${at}`, content: "what bob has to know" })),
    );
    for (let at = 0; at < 1_000; at++) {
      await calls(lru, { tier: "working", agent: `eve${at}` }).store([{ key: "k" }]);
    }
    expect((await bob.retrieve()).total).toBe(300);
    expect(lru.changes.length).toBeGreaterThan(500);
  });
});

describe("the scarcer resource", () => {
  const idOf = (fields: ScopeFields) => scopeId(scope({ tier: "working", ...fields }));
  const [many, large] = [idOf({ agent: "many" }), idOf({ agent: "large" })];

  it("decides the share: few large entries are not evicted for many small ones", () => {
    const retention = new LruRetention(
      parseOptions(LruOptionsSchema, { entriesMax: 1_000, bytesMax: 100 * MIB }),
    );
    for (let at = 0; at < 10; at++) retention.stored({ scope: large, keyHash: `${at}` }, 4 * MIB);
    for (let at = 0; at < 1_000; at++) retention.stored({ scope: many, keyHash: `${at}` }, 10);
    expect(new Set([...retention.overflow()].map((entry) => entry.scope))).toEqual(new Set([many]));
  });

  it("is left to the agent that uses less of it", () => {
    const retention = new LruRetention(
      parseOptions(LruOptionsSchema, { entriesMax: 1_000, bytesMax: 100 * MIB }),
    );
    for (let at = 0; at < 600; at++) retention.stored({ scope: many, keyHash: `${at}` }, 10);
    for (let at = 0; at < 26; at++) retention.stored({ scope: large, keyHash: `${at}` }, 4 * MIB);
    expect(new Set([...retention.overflow()].map((entry) => entry.scope))).toEqual(new Set([large]));
  });
});
