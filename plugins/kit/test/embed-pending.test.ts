import { MemoryError } from "@membus/protocol";
import { expect, it } from "vitest";
import { ScriptedEmbedder } from "./scripted-embedder.js";
import { kitWith } from "./steering-fixture.js";

/** Embeds queries, and documents once it is not busy any more. */
class BusyEmbedder extends ScriptedEmbedder {
  isBusy = true;
  documentCalls = 0;

  override async embed(texts: readonly string[]): Promise<(Float32Array | null)[]> {
    if (!texts.includes("a river")) return super.embed(texts);
    this.documentCalls++;
    if (this.isBusy) throw new MemoryError("overloaded", "too many requests", { retry_after_ms: 5_000 });
    return super.embed(texts);
  }
}

it("A tier in memory respects the retry delay of the embedder", async () => {
  const embedder = new BusyEmbedder();
  const { find, clock } = await kitWith([{ key: "k", content: "a river" }], { embedder });
  const query = { query: "stone", mode: "vector" } as const;
  expect((await find(query)).degraded).toMatchObject({ code: "unavailable", detail: { count: 1 } });
  embedder.isBusy = false;
  clock.advance(4.9);
  expect((await find(query)).degraded).toBeDefined();
  expect(embedder.documentCalls).toBe(1);
  clock.advance(0.2);
  expect((await find(query)).degraded).toBeUndefined();
  expect(embedder.documentCalls).toBe(2);
});

it("A text that fails does not block the vectors of other texts, and is retried later", async () => {
  const embedder = new ScriptedEmbedder();
  const others = Array.from({ length: 300 }, (_, at) => ({ key: `${at}`, content: `stone ${at}` }));
  const entries = [{ key: "bad", content: "stuck text" }, ...others];
  const { find, store, clock } = await kitWith(entries, { embedder });
  const query = { query: "stone", mode: "vector", include: ["embedding"] } as const;
  const found = await find(query);
  expect(found.degraded).toMatchObject({ code: "unavailable", detail: { count: 1 } });
  expect(found.total).toBe(300);
  embedder.isStuck = false;
  const calls = embedder.calls.length;
  await find(query);
  expect(embedder.calls.length - calls).toBe(1);
  await store([{ key: "new", content: "stone new" }]);
  expect((await find(query)).total).toBe(301);
  clock.advance(5);
  expect((await find(query)).degraded).toBeUndefined();
});
