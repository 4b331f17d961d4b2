import { keyHash } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { calls } from "./kit-calls.js";
import { openMemoryKit, settled, TestKit } from "./kit-fixture.js";
import type { TestStoreEntry } from "./kit-requests.js";
import { ScriptedEmbedder } from "./scripted-embedder.js";

const cascade = true;
const root = { keys: ["root"] };

/** Returns an entry derived from the entries with these names. */
function derived(name: string, ...from: readonly string[]): TestStoreEntry {
  return { key: name, content: name, sources: from.map((source) => keyHash({ name: source })) };
}

/** Returns the names of the remaining entries of a namespace. */
async function left(target: Parameters<typeof calls>[0], place = {}): Promise<string[]> {
  const { entries } = await calls(target, place).retrieve();
  return entries.map(({ content }) => content as string).sort();
}

describe.each([
  ["on disk", () => TestKit.open()],
  ["in memory", () => openMemoryKit()],
])("a forget with cascade %s", (_, open) => {
  it("removes only derived entries, level by level, from every namespace of the caller", async () => {
    const kit = await open();
    const { store, forget } = calls(kit);
    await store([derived("root"), derived("b", "root"), derived("c", "b"), derived("kept")]);
    await store([derived("d", "b", "c"), derived("two", "root", "kept")], { namespace: "x/y" });
    await calls(kit, { agent: "bob" }).store([derived("bobs", "root")]);
    expect(await forget(root, { cascade, dryRun: true })).toMatchObject({ deleted: 4, cascaded: [1, 1, 1] });
    expect(await forget(root, { cascade })).toMatchObject({ deleted: 4, cascaded: [1, 1, 1] });
    expect([await left(kit), await left(kit, { namespace: "x/y" })]).toEqual([["kept"], ["two"]]);
    expect(await left(kit, { agent: "bob" })).toEqual(["bobs"]);
    const deleted = kit.changes.map(({ action, key, agent }) => [action, key.name, agent].join(" "));
    expect(deleted.sort()).toEqual(["b", "c", "d", "root"].map((name) => `forgotten ${name} alice`));
  });

  it("keeps an entry with another existing source, and removes entries that are only their own source", async () => {
    const kit = await open();
    const { store, forget } = calls(kit);
    await store([derived("root"), derived("self", "root", "self"), derived("missing", "root", "nothing")]);
    await store([derived("one", "root", "other"), derived("other", "root", "one")]);
    await store([derived("root")], { namespace: "elsewhere" });
    await store([derived("again", "again root")], { namespace: "elsewhere" });
    expect(await forget(root, { cascade })).toMatchObject({ deleted: 1, cascaded: [] });
    expect(await left(kit)).toEqual(["missing", "one", "other", "self"]);
    expect(await forget(root, { cascade, namespace: "elsewhere" })).toMatchObject({ cascaded: [2] });
    expect(await left(kit)).toEqual(["one", "other"]);
  });

  it("rejects too many entries and removes none", async () => {
    const kit = await open();
    const { store, forget, retrieve } = calls(kit);
    await store([derived("k0"), ...Array.from({ length: 17 }, (_, at) => derived(`k${at + 1}`, `k${at}`))]);
    const refused = { code: "too_large", detail: { limit: "cascadeLevels", max: 16, got: 17 } };
    await expect(forget({ keys: ["k0"] }, { cascade })).rejects.toMatchObject(refused);
    expect((await retrieve({ limit: 0 })).total).toBe(18);
    expect((await forget({ keys: ["k1"] }, { cascade })).cascaded).toEqual(Array(16).fill(1));
    for (let at = 0; at <= 10; at++) {
      const entries = Array.from({ length: 910 }, (_, n) => derived(`d${at} ${n}`, "k0"));
      await store(entries, { namespace: `n${at}` });
    }
    const many = { code: "too_large", detail: { limit: "cascadeDerived", max: 10_000 } };
    await expect(forget({ keys: ["k0"] }, { cascade })).rejects.toMatchObject(many);
    expect((await retrieve({ limit: 0 })).total).toBe(1);
    expect((await retrieve({ limit: 0 }, { namespace: "n10" })).total).toBe(910);
  });
});

describe("a forget with cascade during stores", () => {
  it("keeps the writes of later stores, and removes the writes of earlier running ones", async () => {
    const embedder = new ScriptedEmbedder();
    const kit = await TestKit.open({ embedder });
    const { store, forget, entry } = calls(kit);
    await store(["root", "b", "c"].map((name) => derived(name, ...(name === "root" ? [] : ["root"]))));
    embedder.state = "hangs";
    const earlier = store([derived("early", "root")]);
    await settled(5);
    const forgetting = forget(root, { cascade });
    embedder.state = "answers";
    const later = await store([derived("b", "root"), { ...derived("late", "root"), content: "new" }]);
    embedder.release();
    expect((await earlier).receipts[0]?.outcome).toBe("created");
    expect(await forgetting).toMatchObject({ deleted: 3, cascaded: [2] });
    expect(later.receipts.map(({ outcome }) => outcome)).toEqual(["unchanged", "created"]);
    expect([await left(kit), (await entry("late"))?.content]).toEqual([["b", "new"], "new"]);
  });
});

describe("a forget with cascade before a crash", () => {
  it.each([0, 1, 2, 3])("is complete after %i writes of its flush, and so is its reply", async (writes) => {
    const kit = await TestKit.open();
    const { store, forget } = calls(kit);
    await store([derived("root"), derived("kept"), derived("b", "root")]);
    const namespaces = ["n1", "n2", "n3"];
    for (const namespace of namespaces) await store([derived(namespace, "b")], { namespace });
    await kit.flush();
    await kit.reopen();
    const first = await forget(root, { cascade, id: "once" });
    expect(first).toMatchObject({ deleted: 5, cascaded: [1, 3] });
    await kit.flushHalfway(writes);
    await kit.crash();
    expect(await left(kit)).toEqual(["kept"]);
    for (const namespace of namespaces) expect(await left(kit, { namespace })).toEqual([]);
    expect(await forget(root, { cascade, id: "once" })).toEqual(first);
    await kit.flush();
    await kit.reopen();
    for (const namespace of namespaces) expect(await left(kit, { namespace })).toEqual([]);
  });
});
