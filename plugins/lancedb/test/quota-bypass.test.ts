import { cp } from "node:fs/promises";
import { basename } from "node:path";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { afterEach, describe, expect, it } from "vitest";
import { calls, type StoreFields } from "../../kit/test/kit-calls.js";
import { TestClock } from "../../kit/test/test-clock.js";
import { createLruPlugin } from "../../lru/src/index.js";
import { openWithQuotas, outcomeOf, type QuotaSetup } from "./quotas-fixture.js";
import { StorageFixture } from "./storage-fixture.js";

const fixture = new StorageFixture();
const plugins = new Set<MemoryPlugin>();
afterEach(async () => {
  for (const plugin of plugins) await plugin.close!();
  plugins.clear();
  await fixture.end();
});

async function opened(setup: QuotaSetup, directory?: string) {
  const folder = directory ?? (await fixture.directory());
  const tier = await openWithQuotas(folder, setup);
  plugins.add(tier.plugin);
  return { ...tier, directory: folder };
}

type Tier = Awaited<ReturnType<typeof opened>>;

const keys = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => ({ key: `${name} ${n}` }));

/** An agent of a tier that tries to store more than its quota. */
class Attacker {
  constructor(
    readonly tier: Pick<Tier, "of">,
    readonly agent: string,
    readonly clock: TestClock,
  ) {}

  /** Requests in a namespace of this attacker, because all agents share a namespace of the shared tier. */
  of(namespace = "") {
    return this.tier.of({ agent: this.agent, namespace: `${this.agent}${namespace}` });
  }

  storeMany(count: number, name: string, fields: StoreFields = {}) {
    return Promise.all(keys(count, name).map((entry) => this.of().store([entry], fields)));
  }

  async count(): Promise<number> {
    const { retrieve } = this.tier.of({ agent: this.agent });
    const { entries } = await retrieve({ limit: 1_000 }, { namespace: "**" });
    return entries.filter(({ author }) => author === this.agent).length;
  }
}

const MAX = 10;
const BOUND = { agent: { entries: MAX } };

/** Ways in which an agent may try to store more than its quota. Each tries it for more than `MAX` entries. */
const ATTACKS: Readonly<Record<string, (me: Attacker) => Promise<unknown>>> = {
  "one batch": (me) => me.of().store(keys(50, "b")),
  "concurrent stores": (me) => me.storeMany(50, "c"),
  "queued stores": (me) => me.storeMany(50, "q", { ack: "queued" }),
  "concurrent stores in many namespaces": (me) =>
    Promise.all(keys(50, "n").map((entry, n) => me.of(`/${n}`).store([entry]))),
  "batches that replace and add": async (me) => {
    for (let round = 0; round < 4; round++)
      await me.of().store([...keys(5, "r"), ...keys(6, `new ${round}`)]);
  },
  "the same ids again": async (me) => {
    for (let round = 0; round < 3; round++)
      for (const [n, entry] of keys(15, "i").entries()) await me.of().store([entry], { id: `id ${n}` });
  },
  "stores beside a forget": async (me) => {
    await me.of().store(keys(MAX, "f"));
    await Promise.all([me.of().forget({}), me.storeMany(30, "g"), me.of().forget({ keys: ["g 1"] })]);
    await me.storeMany(30, "h");
  },
  "a dry run of a forget": async (me) => {
    await me.of().store(keys(MAX, "f"));
    await me.of().forget({}, { dryRun: true });
    await me.storeMany(30, "h");
  },
  "entries that expire later": async (me) => {
    const lasting = (ttl: number) => keys(MAX, "t").map((entry) => ({ ...entry, ttl }));
    await me.of().store(lasting(10));
    me.clock.advance(9);
    await me.storeMany(30, "u");
    await me.of().store(lasting(10_000));
    me.clock.advance(2);
    await me.storeMany(30, "v");
  },
  "expired entries that are stored again": async (me) => {
    for (let round = 0; round < 3; round++) {
      await me.of().store(keys(MAX, "e").map((entry) => ({ ...entry, ttl: 1 })));
      me.clock.advance(2);
    }
    await me.of().store(keys(30, "e"));
  },
  "derived entries and a cascade": async (me) => {
    await me.of().forget({ match: { name: "source" } });
    await me.of().forget({ keys: ["d 1", "d2 1"] });
    const { receipts } = await me.of().store([{ key: "source" }]);
    const sources = [receipts[0]!.key_hash];
    await me.of().store(keys(30, "d").map((entry) => ({ ...entry, sources })));
    await me.of().forget({ keys: ["source"] }, { cascade: true });
    await me.of().store(keys(30, "d2").map((entry) => ({ ...entry, sources })));
  },
  "stores that fail": async (me) => {
    await me.of().store(keys(30, "x").map((entry) => ({ ...entry, if_revision: 5 })));
    await me.storeMany(30, "y");
  },
};

const full = Object.fromEntries(Object.keys(ATTACKS).map((name) => [name, MAX]));

/** Runs every attack as a separate agent. Returns the number of entries that each agent has. */
async function attack(tier: Tier, clock: TestClock): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [n, name] of Object.keys(ATTACKS).entries()) {
    const me = new Attacker(tier, `agent-${n}`, clock);
    await ATTACKS[name]!(me);
    counts[name] = await me.count();
  }
  return counts;
}

describe.each(["episodic", "semantic"] as const)("an agent's quota of the %s tier", (tier) => {
  it("holds against every attack, also after a kill, and reserves nothing for good", async () => {
    const clock = new TestClock();
    const setup = { tier, clock, quotas: BOUND };
    const attacked = await opened(setup);
    expect(await attack(attacked, clock)).toEqual(full);
    const killed = await fixture.directory();
    await cp(attacked.directory, killed, { recursive: true, filter: (path) => basename(path) !== "lock" });
    const again = await opened(setup, killed);
    expect(await attack(again, clock)).toEqual(full);
    for (const n of Object.keys(ATTACKS).keys()) {
      const me = new Attacker(again, `agent-${n}`, clock);
      await me.of().forget({}, { namespace: `agent-${n}/**` });
      expect(outcomeOf(await me.of().store(keys(MAX, "again")))).not.toContain("agentEntries");
    }
  });
});

describe("two agents of the shared tier", () => {
  it("cannot pass entries to each other to store more than both may", async () => {
    const tier = await opened({ tier: "semantic", quotas: BOUND });
    const [alice, bob] = [tier.of({ agent: "alice" }), tier.of({ agent: "bob" })];
    const taken = (name: string) => keys(30, name).map((entry) => ({ ...entry, content: "taken" }));
    for (let round = 0; round < 4; round++) {
      await alice.store(keys(30, `a${round}`));
      await bob.store(taken(`a${round}`));
      await bob.store(keys(30, `b${round}`));
      await alice.store(taken(`b${round}`));
    }
    const { entries } = await alice.retrieve({ limit: 100 });
    const of = (agent: string) => entries.filter(({ author }) => author === agent).length;
    expect([of("alice"), of("bob"), entries.length]).toEqual([MAX, MAX, 2 * MAX]);
  });

  it("cannot use the quota of a similar name", async () => {
    const tier = await opened({ quotas: { agent: { entries: 1 }, agents: { "acme.bob": { entries: 5 } } } });
    for (const agent of ["Bob", "bob ", "acme.bob", "BOB"]) {
      const { receipts } = await tier.of({ agent }).store(keys(5, "k"));
      expect([agent, receipts.length]).toEqual([agent, 1]);
    }
  });
});

it("a quota of bytes counts every large field, of new entries and of updates", async () => {
  const text = "x".repeat(10_000);
  const tags = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(100, "x"));
  const large = { content: { content: text }, text: { text }, context: { context: text }, tags: { tags } };
  const fields: Record<string, object> = {
    ...large,
    metadata: { metadata: { a: text } },
    group: { group: text },
    source: { source: text },
  };
  const tier = await opened({ quotas: { agent: { bytes: 65_536 } } });
  for (const [agent, field] of Object.entries(fields)) {
    const { store, retrieve } = tier.of({ agent });
    await store(keys(20, "small"));
    await store(keys(20, "small").map((entry) => ({ ...entry, ...field })));
    await store(keys(20, "large").map((entry) => ({ ...entry, ...field })));
    const { entries } = await retrieve({ limit: 100, include: ["context"] });
    expect([agent, entries.filter((entry) => JSON.stringify(entry).length > 10_000).length]).toEqual([
      agent,
      6,
    ]);
  }
});

describe("an agent's quota of the working tier", () => {
  it.each([
    ["one session", () => ({ session: "s" })],
    ["many sessions", (n: number) => ({ session: `s${n}` })],
    ["many namespaces", (n: number) => ({ session: "s", namespace: `n/${n}` })],
  ])("holds against stores in %s, and takes nothing from others", async (_, place) => {
    const clock = new TestClock();
    const plugin = createLruPlugin({}, undefined, BOUND);
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    await plugin.open!({ tier: "working", clock, logger, notify() {} });
    plugins.add(plugin);
    const of = (agent: string, fields: object) =>
      calls({ plugin, clock }, { tier: "working", agent, ...fields });
    await of("bob", { session: "b" }).store(keys(5, "theirs"));
    const attempts = keys(100, "k").map((entry, n) => of("alice", place(n)).store([entry, { key: "same" }]));
    await Promise.all(attempts);
    const places = new Map(attempts.map((_attempt, n) => [JSON.stringify(place(n)), place(n)]));
    let total = 0;
    for (const at of places.values()) total += (await of("alice", at).retrieve({ limit: 0 })).total;
    expect(total).toBeLessThanOrEqual(MAX);
    expect((await of("bob", { session: "b" }).retrieve({ limit: 0 })).total).toBe(5);
  });
});
