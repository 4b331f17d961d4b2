import { describe, expect, it } from "vitest";
import { calls } from "./kit-calls.js";
import { openMemoryKit, settled, TestKit } from "./kit-fixture.js";
import { ScriptedEmbedder } from "./scripted-embedder.js";

async function waitingKit() {
  const embedder = new ScriptedEmbedder();
  embedder.state = "hangs";
  const kit = await TestKit.open({ embedder });
  return { kit, embedder, ...calls(kit) };
}

describe("a store that waits for its embedder", () => {
  it("is superseded by a later forget that selects it, and leaves no entry", async () => {
    const { kit, embedder, store, forget, retrieve } = await waitingKit();
    const stored = store([
      { key: "a", content: "one", tags: ["temp"] },
      { key: "b", content: "two" },
    ]);
    await settled(5);
    expect(await forget({ tags: ["temp"] })).toMatchObject({ deleted: 0 });
    embedder.release();
    const { receipts } = await stored;
    expect(receipts.map(({ outcome }) => outcome)).toEqual(["superseded", "created"]);
    expect((await retrieve()).entries.map(({ content }) => content)).toEqual(["two"]);
    await kit.crash();
    expect((await retrieve()).entries.map(({ content }) => content)).toEqual(["two"]);
  });

  it("is not affected by a forget of another scope or of other entries", async () => {
    const { embedder, store, forget } = await waitingKit();
    const stored = store([{ key: "a", content: "one", tags: ["keep"] }]);
    await settled(5);
    await forget({ tags: ["temp"] });
    await forget({}, { namespace: "other/**" });
    embedder.release();
    expect((await stored).receipts[0]!.outcome).toBe("created");
  });

  it("is superseded by a forget of a subtree that contains it", async () => {
    const { embedder, store, forget } = await waitingKit();
    const stored = store([{ key: "a", content: "one" }], { namespace: "x/y" });
    await settled(5);
    await forget({}, { namespace: "x/**" });
    embedder.release();
    expect((await stored).receipts[0]!.outcome).toBe("superseded");
  });

  it("is created again when its former version was forgotten in the meantime", async () => {
    const { embedder, store, forget, entry } = await waitingKit();
    embedder.state = "answers";
    await store([{ key: "a", content: "one", metadata: { secret: "old" }, tags: ["old"] }]);
    embedder.state = "hangs";
    const stored = store([{ key: "a", content: "two", tags: ["new"] }]);
    await settled(5);
    expect(await forget({ tags: ["old"] })).toMatchObject({ deleted: 1 });
    embedder.release();
    expect((await stored).receipts[0]!.outcome).toBe("created");
    const found = await entry("a");
    expect(found?.content).toBe("two");
    expect(found?.metadata).toBeUndefined();
    expect(found?.seq).toBe(found?.revision);
  });
});

describe("concurrent stores, forgets, flushes and evictions", () => {
  it("count every entry once: stored or superseded, forgotten or present", async () => {
    const kit = await TestKit.open({ options: { flushCount: 7, residentBytesMax: 1024 * 1024 } });
    const { store, forget, retrieve } = calls(kit);
    const storing = Array.from({ length: 150 }, async (_, at) => {
      await settled(at % 13);
      const { receipts } = await store([{ key: `k${at}`, content: `${at}`, tags: [`t${at % 3}`] }]);
      return receipts[0]!.outcome;
    });
    const forgetting = Array.from({ length: 12 }, async (_, at) => {
      await settled(at * 2);
      return (await forget({ tags: [`t${at % 3}`] })).deleted;
    });
    await kit.plugin.maintain();
    const superseded = (await Promise.all(storing)).filter((outcome) => outcome === "superseded").length;
    const deleted = (await Promise.all(forgetting)).reduce((sum, count) => sum + count, 0);
    const left = (await retrieve({ limit: 0 })).total;
    expect(superseded + deleted + left).toBe(150);
    expect(kit.changes.filter(({ action }) => action === "forgotten")).toHaveLength(deleted);
    expect(await forget({})).toMatchObject({ deleted: left });
    await kit.crash();
    expect((await retrieve()).total).toBe(0);
  });
});

describe.each([
  ["on disk", () => TestKit.open()],
  ["in memory", () => openMemoryKit()],
])("a forget of many entries %s", (_, open) => {
  it("removes all at one moment, and a later store creates its entry again", async () => {
    const { store, forget, retrieve, entry } = calls(await open());
    const keys = Array.from({ length: 9_000 }, (_entry, at) => `k${at}`);
    for (let at = 0; at < keys.length; at += 1_000) {
      const part = keys.slice(at, at + 1_000);
      await store(part.map((key) => ({ key, content: "old", metadata: { secret: "old" } })));
    }
    const [first, last] = [keys[0]!, keys.at(-1)!];
    const forgetting = forget({});
    const began = entry(last).then(() => store([first, last].map((key) => ({ key, content: "new" }))));
    expect(await forgetting).toMatchObject({ deleted: 9_000 });
    expect((await began).receipts.map(({ outcome }) => outcome)).toEqual(["created", "created"]);
    expect((await retrieve()).total).toBe(2);
    expect((await entry(last))?.metadata).toBeUndefined();
  });
});
