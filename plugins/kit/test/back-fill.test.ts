import { describe, expect, it } from "vitest";
import { calls } from "./kit-calls.js";
import { settled, TestKit } from "./kit-fixture.js";
import { ScriptedEmbedder, vectorOf } from "./scripted-embedder.js";

async function kitWith(state: ScriptedEmbedder["state"] = "answers") {
  const embedder = new ScriptedEmbedder();
  embedder.state = state;
  const kit = await TestKit.open({ embedder, options: { embedWaitMs: 1000, embedRetryMs: 5000 } });
  return { kit, embedder, ...calls(kit) };
}

type Kit = Awaited<ReturnType<typeof kitWith>>;

/** Returns the vector that an entry is found with now. */
async function vectorNow({ entry }: Kit, key: string): Promise<Float32Array | undefined> {
  return (await entry(key, { include: ["embedding"] }))?.embedding;
}

const OWN = { id: "op-own", tenant: "acme", agent: "alice" };

describe("an embedder that fails and recovers", () => {
  it("does not keep the tier from closing", async () => {
    const { kit, embedder, store } = await kitWith("hangs");
    const stored = store([{ key: "k", content: "river stone" }]);
    await settled();
    kit.clock.advance(1);
    await stored;
    kit.clock.advance(5);
    await settled();
    expect(embedder.calls.length).toBeGreaterThan(1);
    await kit.plugin.close();
  });

  it("stores entries that are found by text and flagged, and embeds them later", async () => {
    const test = await kitWith("fails");
    const { kit, embedder, store, retrieve } = test;
    const { receipts } = await store([{ key: "k", content: "river stone" }], { id: OWN.id });
    expect(receipts[0]!.outcome).toBe("created");
    const byText = await retrieve({ query: "river" });
    expect(byText.entries).toHaveLength(1);
    expect(byText.degraded).toMatchObject({ code: "unavailable" });
    expect(await kit.plugin.onStatus(OWN)).toMatchObject({ done: false, receipts });
    kit.clock.advance(5);
    await settled();
    expect(await vectorNow(test, "k")).toBeUndefined();
    embedder.state = "answers";
    const waiting = await retrieve({ query: "river" });
    expect(waiting.degraded).toMatchObject({ code: "unavailable", detail: { count: 1 } });
    kit.clock.advance(5);
    await kit.backFilled();
    expect(await vectorNow(test, "k")).toEqual(vectorOf("river stone", 8));
    const full = await retrieve({ query: "river" });
    expect(full.degraded).toBeUndefined();
    expect(full.entries[0]!.score).toBeGreaterThan(byText.entries[0]!.score);
    expect(full.entries[0]!.revision).toBe(receipts[0]!.revision);
    expect(await kit.plugin.onStatus(OWN)).toMatchObject({ done: true, receipts });
    await kit.flush();
    expect(kit.storage.rowIds).toHaveLength(1);
  });

  it("retries after a delay, and continues after a restart", async () => {
    const test = await kitWith("fails");
    const { kit, embedder, store } = test;
    for (let at = 0; at < 5; at++)
      await store([{ key: "k", content: `river ${at}` }], { namespace: `n${at}` });
    const before = embedder.calls.length;
    await settled();
    kit.clock.advance(4.9);
    await settled();
    expect(embedder.calls.length - before).toBeLessThanOrEqual(1);
    await kit.flush();
    embedder.state = "answers";
    await kit.crash();
    expect(await vectorNow(test, "k")).toBeUndefined();
    await calls(kit, { namespace: "n3" }).entry("k");
    await kit.backFilled();
    const found = await calls(kit, { namespace: "n3" }).entry("k", { include: ["embedding"] });
    expect(found?.embedding).toEqual(vectorOf("river 3", 8));
  });

  it.each(["refused", "unfit"])("embeds the other entries when one text is permanently %s", async (word) => {
    const test = await kitWith("fails");
    const { kit, embedder, store } = test;
    await store([
      { key: "bad", content: `${word} text` },
      { key: "good", content: "river" },
    ]);
    await settled();
    embedder.state = "answers";
    kit.clock.advance(5);
    await kit.backFilled();
    expect(await vectorNow(test, "good")).toEqual(vectorOf("river", 8));
    expect(await vectorNow(test, "bad")).toBeUndefined();
    expect(kit.plugin.stats().partitions_awaiting_vectors).toBe(0);
  });

  it("embeds the other entries when one text fails, and retries that text", async () => {
    const test = await kitWith("fails");
    const { kit, embedder, store } = test;
    const many = Array.from({ length: 20 }, (_, at) => ({ key: `${at}`, content: `river ${at}` }));
    await store([...many.slice(0, 9), { key: "bad", content: "stuck text" }, ...many.slice(9)]);
    await store([{ key: "k", content: "elsewhere" }], { namespace: "other" });
    await settled();
    embedder.state = "answers";
    kit.clock.advance(5);
    const elsewhere = { ...test, ...calls(kit, { namespace: "other" }) };
    await expect.poll(() => vectorNow(elsewhere, "k")).toEqual(vectorOf("elsewhere", 8));
    for (const { key, content } of many) expect(await vectorNow(test, key)).toEqual(vectorOf(content, 8));
    expect(await vectorNow(test, "bad")).toBeUndefined();
    expect(kit.plugin.stats().partitions_awaiting_vectors).toBe(1);
    // A cache must not hide a failed embedder.
    const probes = embedder.calls.flat().filter((text) => text.startsWith("memory"));
    expect(probes.length).toBeGreaterThan(2);
    expect(new Set(probes).size).toBe(probes.length);
    embedder.isStuck = false;
    kit.clock.advance(5);
    await kit.backFilled();
    expect(await vectorNow(test, "bad")).toEqual(vectorOf("stuck text", 8));
  });

  it("does not treat texts as invalid when the embedder rejects every text", async () => {
    const test = await kitWith("fails");
    const { kit, embedder, store } = test;
    await store([
      { key: "one", content: "river" },
      { key: "two", content: "stone" },
    ]);
    await settled();
    [embedder.state, embedder.refusesAll] = ["answers", true];
    kit.clock.advance(5);
    await settled();
    expect(kit.plugin.stats().partitions_awaiting_vectors).toBe(1);
    embedder.refusesAll = false;
    kit.clock.advance(5);
    await kit.backFilled();
    expect(await vectorNow(test, "one")).toEqual(vectorOf("river", 8));
  });

  it("does not restore entries that were forgotten or replaced in the meantime", async () => {
    const test = await kitWith("fails");
    const { kit, embedder, store, forget, retrieve, entry } = test;
    await store([
      { key: "gone", content: "river" },
      { key: "kept", content: "stone" },
    ]);
    await settled();
    embedder.state = "hangs";
    kit.clock.advance(5);
    await settled();
    await forget({ keys: ["gone"] });
    await store([{ key: "kept", content: "garden" }], { ack: "queued" });
    embedder.release();
    await settled();
    kit.clock.advance(5);
    await kit.backFilled();
    expect((await retrieve()).total).toBe(1);
    expect((await entry("kept"))?.content).toBe("garden");
    expect(await vectorNow(test, "kept")).toEqual(vectorOf("garden", 8));
    await kit.crash();
    expect((await retrieve()).entries.map(({ content }) => content)).toEqual(["garden"]);
  });
});

describe("a slow embedder", () => {
  it("is waited for as long as the option allows, and its vector is stored later", async () => {
    const test = await kitWith("hangs");
    const { kit, embedder, store } = test;
    let isAnswered = false;
    const stored = store([{ key: "k", content: "river" }]).finally(() => {
      isAnswered = true;
    });
    await settled();
    kit.clock.advance(0.99);
    await settled();
    expect(isAnswered).toBe(false);
    kit.clock.advance(0.02);
    expect((await stored).receipts[0]!.outcome).toBe("created");
    embedder.release();
    await kit.backFilled();
    expect(await vectorNow(test, "k")).toEqual(vectorOf("river", 8));
  });

  it("does not delay a query longer, which is answered by words", async () => {
    const { kit, embedder, store, retrieve } = await kitWith();
    await store([{ key: "k", content: "river" }]);
    embedder.state = "hangs";
    const found = retrieve({ query: "river" });
    const byVector = expect(retrieve({ query: "river", mode: "vector" })).rejects;
    const refused = byVector.toMatchObject({ code: "unavailable" });
    await settled();
    kit.clock.advance(1);
    expect(await found).toMatchObject({ total: 1, degraded: { code: "unavailable" } });
    await refused;
  });

  it("leaves no timers running", async () => {
    const { kit, store, retrieve } = await kitWith();
    await store([{ key: "k", content: "river" }]);
    await retrieve({ query: "river" });
    await kit.flush();
    expect(kit.clock.timerCount).toBe(0);
  });

  it("does not block a store while others write the same key", async () => {
    const { embedder, kit, store, entry } = await kitWith("hangs");
    const slow = store([{ key: "k", content: "slow" }]);
    await settled(3);
    for (let at = 0; at < 20; at++) await store([{ key: "k", content: `quick ${at}` }], { ack: "queued" });
    const asked = embedder.calls.filter(([text]) => text === "slow").length;
    kit.clock.advance(1);
    expect((await slow).receipts[0]!.outcome).toBe("updated");
    expect((await entry("k"))?.content).toBe("slow");
    expect([asked, embedder.calls.filter(([text]) => text === "slow").length]).toEqual([1, 1]);
  });
});

describe("a store with ack queued", () => {
  it("is logged without the embedder, and its status reports when the vector is stored", async () => {
    const test = await kitWith("hangs");
    const { kit, embedder, store } = test;
    const entries = [{ key: "k", content: "river" }];
    const reply = await store(entries, { ack: "queued", id: OWN.id });
    expect(reply.receipts[0]!.outcome).toBe("queued");
    expect(await store(entries, { ack: "queued", id: OWN.id })).toEqual(reply);
    const { revision } = reply.receipts[0]!;
    expect(await kit.plugin.onStatus(OWN)).toMatchObject({
      done: false,
      receipts: [{ outcome: "created", revision }],
    });
    embedder.release();
    await kit.backFilled();
    expect(await kit.plugin.onStatus(OWN)).toMatchObject({
      done: true,
      receipts: [{ outcome: "created", revision }],
    });
    await kit.crash();
    expect(await kit.plugin.onStatus(OWN)).toMatchObject({
      done: true,
      receipts: [{ outcome: "created", revision }],
    });
    expect(await vectorNow(test, "k")).toEqual(vectorOf("river", 8));
  });

  it("has no status for another agent, or under another id", async () => {
    const { kit, store, forget } = await kitWith();
    await store([{ key: "k" }], { id: "mine" });
    await forget({}, { id: "forget" });
    for (const op of [
      { agent: "bob", id: "mine" },
      { agent: "alice", id: "other" },
      { agent: "alice", id: "forget" },
    ]) {
      expect(await kit.plugin.onStatus({ tenant: "acme", ...op })).toBeUndefined();
    }
  });
});

describe("a changed embedder", () => {
  it("re-embeds used entries, and text search works in the meantime", async () => {
    const test = await kitWith();
    const { kit, store, retrieve } = test;
    const given = Float32Array.from({ length: 8 }, (_, at) => Number(at === 0));
    await store([
      { key: "a", content: "river stone" },
      { key: "b", content: "garden", embedding: given },
      { key: "c", content: "blank text" },
    ]);
    const before = await retrieve({ query: "river", mode: "text" });
    const other = new ScriptedEmbedder("scripted-two/4", 4);
    other.state = "hangs";
    await kit.reopen(other);
    expect(await retrieve({ query: "river", mode: "text" })).toMatchObject({
      entries: [{ score: before.entries[0]!.score }],
    });
    expect(await vectorNow(test, "a")).toBeUndefined();
    other.release();
    await kit.backFilled();
    expect(await vectorNow(test, "a")).toEqual(vectorOf("river stone", 4));
    expect(await vectorNow(test, "b")).toEqual(vectorOf("garden", 4));
    expect(await vectorNow(test, "c")).toBeUndefined();
    expect((await retrieve({ query: "river" })).degraded).toBeUndefined();
  });

  it("may be removed: words still work, and vectors are unsupported", async () => {
    const { kit, store, retrieve } = await kitWith();
    await store([{ key: "a", content: "river stone" }]);
    await kit.reopen(null);
    expect(kit.plugin.manifest.features.similarity).toBe(false);
    expect(await retrieve({ query: "river" })).toMatchObject({ total: 1 });
    await expect(retrieve({ query: "river", mode: "vector" })).rejects.toMatchObject({ code: "unsupported" });
    await expect(retrieve({ embedding: new Float32Array(8) })).rejects.toMatchObject({ code: "unsupported" });
    await store([{ key: "b", content: "river" }]);
    expect(await retrieve({ query: "river" })).toMatchObject({ total: 2 });
  });
});
