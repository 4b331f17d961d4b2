import type { PluginRetrieveResult } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { calls } from "./kit-calls.js";
import { settled, TestKit } from "./kit-fixture.js";
import { otherAnalyzer } from "./other-analyzer.js";
import { ScriptedEmbedder } from "./scripted-embedder.js";
import { SteppingEmbedder } from "./stepping-embedder.js";

/** More than two batches. */
const COUNT = 150;
/** Words that no entry has, so that only vectors rank. */
const QUERY = { query: "lantern harbour" };

const entries = Array.from({ length: COUNT }, (_, at) => ({
  key: `k${at}`,
  content: `word${at} thing${at % 7}`,
}));
const LATE = { key: "late", content: "word late" };

function ranking({ entries: found }: PluginRetrieveResult): unknown {
  return found.map(({ key, score }) => [key, score]);
}

/** Returns the ranking of a tier that never had another embedder. */
async function rankingOf(embedder: ScriptedEmbedder, stored: readonly { key: string; content: string }[]) {
  const kit = await TestKit.open({ embedder });
  const { store, retrieve } = calls(kit);
  await store(stored);
  return ranking(await retrieve(QUERY));
}

async function filledKit(embedder: ScriptedEmbedder) {
  const kit = await TestKit.open({ embedder, options: { embedWaitMs: 1000, embedRetryMs: 5000 } });
  await calls(kit).store(entries);
  return kit;
}

describe("a changed embedder", () => {
  it("ranks a namespace by vectors once all of it is embedded, and by words before, which the reply reports", async () => {
    const kit = await filledKit(new ScriptedEmbedder());
    const { retrieve, store } = calls(kit);
    const query = { query: "word3 thing4 lantern" };
    const next = new SteppingEmbedder("stepping/4", 4);
    await kit.change({ embedder: next });
    const fresh = await TestKit.open({ embedder: new ScriptedEmbedder("fresh/4", 4) });
    await calls(fresh).store([...entries, LATE]);
    const words = ranking(await calls(fresh).retrieve({ ...query, mode: "text" }));
    const after = ranking(await calls(fresh).retrieve(query));
    expect(words).not.toEqual(after);
    const stored = store([LATE]);
    await settled();
    kit.clock.advance(1);
    await stored;
    const seen: string[] = [];
    while (kit.plugin.stats().reindex_state !== "done" && seen.length < 1000) {
      const found = await retrieve(query);
      const isByWords = found.degraded?.detail.reason === "reindex";
      expect(ranking(found)).toEqual(isByWords ? words : after);
      seen.push(isByWords ? "words" : "vectors");
      next.step();
      await settled(5);
      kit.clock.advance(0.2);
    }
    await kit.reindexed();
    const { degraded, ...found } = await retrieve(query);
    expect([ranking(found), degraded]).toEqual([after, undefined]);
    expect(seen.join(" ")).toMatch(/^(words ?){3,}(vectors ?)*$/);
  });

  it("continues after a restart without embedding a text twice", async () => {
    const kit = await filledKit(new ScriptedEmbedder());
    const next = new SteppingEmbedder("stepping/4", 4);
    await kit.change({ embedder: next });
    while (next.calls.length < 2) {
      next.step();
      await settled(5);
    }
    const again = new ScriptedEmbedder("stepping/4", 4);
    again.state = "hangs";
    await kit.change({ embedder: again });
    await settled();
    again.state = "answers";
    again.release();
    await kit.reindexed();
    expect(again.calls.flat().filter((text) => text.startsWith("word")).length).toBeLessThan(COUNT);
    const fresh = await rankingOf(new ScriptedEmbedder("fresh/4", 4), entries);
    expect(ranking(await calls(kit).retrieve(QUERY))).toEqual(fresh);
    expect(kit.plugin.stats()).toMatchObject({ generation: 2, embedder: "stepping/4", reindex_done: COUNT });
  });

  it("can be reverted halfway: entries that are not re-embedded still have their vectors", async () => {
    const kit = await filledKit(new ScriptedEmbedder());
    const before = ranking(await calls(kit).retrieve(QUERY));
    const next = new SteppingEmbedder("stepping/4", 4);
    await kit.change({ embedder: next });
    while (next.calls.length < 1) {
      next.step();
      await settled(5);
    }
    await settled(20);
    const back = new ScriptedEmbedder();
    await kit.change({ embedder: back });
    await kit.reindexed();
    expect(ranking(await calls(kit).retrieve(QUERY))).toEqual(before);
    expect(back.calls.flat().filter((text) => text.startsWith("word")).length).toBeLessThan(COUNT);
  });

  it("ranks by words in every mode, and fails for vectors only", async () => {
    const kit = await filledKit(new ScriptedEmbedder());
    const { retrieve } = calls(kit);
    const words = ranking(await retrieve({ query: "word3 thing4", mode: "text" }));
    const next = new SteppingEmbedder("stepping/4", 4);
    await kit.change({ embedder: next });
    const byVector = await retrieve({ ...QUERY, mode: "vector" });
    expect(byVector).toMatchObject({
      total: 0,
      degraded: { code: "unavailable", detail: { reason: "reindex" } },
    });
    next.step();
    await settled(20);
    const partly = await retrieve({ ...QUERY, mode: "vector" });
    expect(partly).toMatchObject({ total: 0, degraded: { detail: { reason: "reindex" } } });
    const found = await retrieve({ query: "word3 thing4" });
    expect(found.degraded).toMatchObject({ code: "unavailable", detail: { reason: "reindex" } });
    expect(ranking(found)).toEqual(words);
    next.free();
    await kit.reindexed();
    expect((await retrieve(QUERY)).degraded).toBeUndefined();
  });

  it("that is down leaves word search working, and is retried", async () => {
    const kit = await filledKit(new ScriptedEmbedder());
    const { retrieve } = calls(kit);
    const next = new ScriptedEmbedder("scripted-two/4", 4);
    next.state = "fails";
    await kit.change({ embedder: next });
    const paused = { reindex_state: "paused", reindex_total: COUNT, reindex_done: 0 };
    await expect.poll(() => kit.plugin.stats()).toMatchObject(paused);
    const found = await retrieve({ query: "word3" });
    expect([found.total, found.degraded?.code]).toEqual([1, "unavailable"]);
    next.state = "answers";
    kit.clock.advance(5);
    await kit.reindexed();
    const fresh = await rankingOf(new ScriptedEmbedder("fresh/4", 4), entries);
    expect(ranking(await retrieve(QUERY))).toEqual(fresh);
  });

  it("embeds partitions without requests", async () => {
    const kit = await TestKit.open({ embedder: new ScriptedEmbedder(), options: { preloadCount: 0 } });
    for (const namespace of ["a", "b", "c"]) await calls(kit, { namespace }).store(entries.slice(0, 3));
    await kit.change({ embedder: new ScriptedEmbedder("scripted-two/4", 4) });
    await kit.reindexed();
    const rows = [...kit.storage.rows.values()].flat();
    expect(rows.map(({ embedder }) => embedder)).toEqual(Array.from({ length: 9 }, () => "scripted-two/4"));
  });
});

describe("a changed analyzer", () => {
  it("finds entries by its own terms from the first query on, and stores the terms", async () => {
    const kit = await filledKit(new ScriptedEmbedder());
    const { retrieve, store } = calls(kit);
    const query = { query: "word3 thing4" };
    const before = ranking(await retrieve(query));
    await kit.change({ analyzer: otherAnalyzer });
    expect(ranking(await retrieve(query))).toEqual(before);
    await kit.reindexed();
    expect(ranking(await retrieve(query))).toEqual(before);
    await store([LATE]);
    expect((await retrieve({ query: "late", mode: "text" })).total).toBe(1);
    await kit.flush();
    const rows = [...kit.storage.rows.values()].flat();
    expect(new Set(rows.map(({ analyzer }) => analyzer))).toEqual(new Set(["other-1"]));
    expect(rows.every(({ vector }) => vector !== null)).toBe(true);
  });

  it("is combined with a changed embedder in one rewrite, and keeps vectors without an embedder", async () => {
    const kit = await filledKit(new ScriptedEmbedder());
    await kit.change({ analyzer: otherAnalyzer, embedder: null });
    await kit.reindexed();
    const { retrieve } = calls(kit);
    expect((await retrieve({ query: "word3" })).total).toBe(1);
    expect([...kit.storage.rows.values()].flat().every(({ vector }) => vector?.length === 8)).toBe(true);
    const next = new ScriptedEmbedder("scripted-two/4", 4);
    await kit.change({ embedder: next });
    await kit.reindexed();
    const rows = [...kit.storage.rows.values()].flat();
    expect(rows.every((row) => row.analyzer === "other-1" && row.vector?.length === 4)).toBe(true);
    expect(next.calls.flat().length).toBe(COUNT);
  });
});
