import fc from "fast-check";
import { expect, it } from "vitest";
import { FaultyLogFiles } from "../../disk/test/faulty-log-file.js";
import { calls } from "./kit-calls.js";
import { settled, TestKit } from "./kit-fixture.js";
import { MemoryStorage } from "./memory-storage.js";
import { ScriptedEmbedder } from "./scripted-embedder.js";
import { seeded } from "./seeded.js";

const MANY = { tenant: { entries: 1_000_000 } };

/** Returns the reported usage and the actual one. */
async function counted(kit: TestKit) {
  let [entries, namespaces] = [0, 0];
  for (const agent of ["alice", "bob"]) {
    const { retrieve } = calls(kit, { agent });
    for (const namespace of ["default", "n1", "n2"]) {
      const { total } = await retrieve({ limit: 0 }, { namespace });
      entries += total;
      namespaces += Number(total > 0);
    }
  }
  const { quota_entries, quota_namespaces } = kit.plugin.stats();
  return [
    [quota_entries, quota_namespaces],
    [entries, namespaces],
  ];
}

it("quota reserved by failed stores is released", async () => {
  const files = new FaultyLogFiles();
  const kit = await TestKit.open({ openFile: files.openFile, quotas: { agent: { entries: 3 } } });
  const { store, forget } = calls(kit);
  await store([{ key: "a" }, { key: "b" }]);
  files.isFailing = true;
  const lost = [store([{ key: "c" }]), store([{ key: "a", content: "other" }]), forget({ keys: ["b"] })];
  const outcomes = await Promise.allSettled(lost);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  files.isFailing = false;
  expect((await store([{ key: "c" }, { key: "d" }])).errors).toHaveLength(1);
  expect(kit.plugin.stats()).toMatchObject({ quota_entries: 3, refused_by_quota: 1 });
});

it("a tenant with a failed count is counted at the next store", async () => {
  class Unread extends MemoryStorage {
    isBroken = true;
    override async sizes(...call: Parameters<MemoryStorage["sizes"]>): Promise<void> {
      if (this.isBroken) throw new Error("broken");
      await super.sizes(...call);
    }
  }
  const storage = new Unread(8);
  const kit = await TestKit.open({ storage, quotas: { agent: { entries: 1 } } });
  const { store } = calls(kit);
  await expect(store([{ key: "a" }])).rejects.toThrow("broken");
  storage.isBroken = false;
  expect((await store([{ key: "a" }])).errors).toEqual([]);
  expect((await store([{ key: "b" }])).errors).toHaveLength(1);
});

it("usage is not counted without quotas", async () => {
  class Uncounted extends MemoryStorage {
    override async sizes(): Promise<void> {
      throw new Error("asked");
    }
  }
  const kit = await TestKit.open({ storage: new Uncounted(8) });
  expect((await calls(kit).store([{ key: "a" }])).receipts).toHaveLength(1);
});

it("entries that are embedded later or expire are counted once", async () => {
  const embedder = new ScriptedEmbedder();
  embedder.state = "fails";
  const kit = await TestKit.open({ embedder, quotas: MANY });
  await calls(kit).store([
    { key: "a", content: "late" },
    { key: "b", content: "late, too", ttl: 3 },
  ]);
  embedder.state = "answers";
  await settled();
  kit.clock.advance(60);
  await kit.backFilled();
  await settled();
  expect(await counted(kit)).toEqual([
    [1, 1],
    [1, 1],
  ]);
});

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant("store" as const),
      agent: fc.constantFrom("alice", "bob"),
      namespace: fc.constantFrom("default", "n1", "n2"),
      key: fc.nat(4),
      ttl: fc.constantFrom(null, 3, 20),
      size: fc.nat(30),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant("forget" as const),
      agent: fc.constantFrom("alice", "bob"),
      namespace: fc.constantFrom("default", "n1", "**"),
      key: fc.nat(4),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constantFrom(
        "wait" as const,
        "sweep" as const,
        "flush" as const,
        "reopen" as const,
        "crash" as const,
        "settle" as const,
      ),
    }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function run(kit: TestKit, steps: readonly Step[]): Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  const settle = async () => {
    await Promise.all(underWay);
    underWay.clear();
  };
  for (const next of steps) {
    if (next.what === "store") {
      const { agent, namespace, key, ttl, size } = next;
      underWay.add(
        calls(kit, { agent }).store([{ key: `${key}`, content: "x".repeat(size), ttl }], { namespace }),
      );
    } else if (next.what === "forget") {
      const { agent, namespace, key } = next;
      underWay.add(calls(kit, { agent }).forget({ keys: [`${key}`] }, { namespace }));
    } else if (next.what === "wait") kit.clock.advance(2);
    else {
      await settle();
      if (next.what === "sweep") await kit.plugin.maintain();
      else if (next.what === "flush") await kit.flush();
      else if (next.what !== "settle") await kit[next.what]();
    }
  }
  await settle();
}

it("usage equals the actual entries after any operations", async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
    const kit = await TestKit.open({ quotas: MANY });
    await run(kit, steps);
    await calls(kit).store([{ key: "last" }]);
    await kit.plugin.maintain();
    const [reported, found] = await counted(kit);
    expect(reported).toEqual(found);
    const { quota_bytes } = kit.plugin.stats();
    await kit.reopen();
    await calls(kit).store([{ key: "last" }]);
    expect(kit.plugin.stats()).toMatchObject({
      quota_entries: reported![0],
      quota_bytes,
      quota_namespaces: reported![1],
    });
  });
  await seeded(property, 25);
});
