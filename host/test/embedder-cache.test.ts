import { MemoryError } from "@membus/protocol";
import type { Embedder, EmbedKind } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { EmbedderCache } from "../src/plugin-calls/embedder-cache.js";
import { turn } from "./fake-clock.js";
import { HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

/** Embeds a text as its length. The empty text has no vector. */
class LengthEmbedder implements Embedder {
  readonly id = "length";
  readonly dimensions = 1;
  readonly requested: string[] = [];
  fails = false;

  async embed(texts: readonly string[], kind: EmbedKind) {
    this.requested.push(`${kind}: ${texts.join(" ")}`);
    await turn();
    if (this.fails) throw new MemoryError("unavailable", "away");
    return texts.map((text) => (text === "" ? null : Float32Array.of(text.length)));
  }
}

const FOR_A = { cacheScope: "a" };

function setUp(options = {}) {
  const embedder = new LengthEmbedder();
  const limits = { embedderCacheBytesMax: 1_300, embedderConcurrency: 2, ...options };
  return { embedder, cache: new EmbedderCache(embedder, limits) };
}

describe("EmbedderCache", () => {
  it("embeds each text once, in one call with the other missing texts, in order", async () => {
    const { embedder, cache } = setUp();
    const first = cache.embed(["a", "bb", "a", ""], "query", FOR_A);
    const second = cache.embed(["bb", "ccc"], "query", FOR_A);
    expect(await first).toEqual([Float32Array.of(1), Float32Array.of(2), Float32Array.of(1), null]);
    expect(await second).toEqual([Float32Array.of(2), Float32Array.of(3)]);
    expect(await cache.embed(["", "ccc"], "query", FOR_A)).toEqual([null, Float32Array.of(3)]);
    expect(embedder.requested).toEqual(["query: a bb  ccc"]);
    expect([cache.id, cache.dimensions]).toEqual(["length", 1]);
  });

  it("offers unrelatedCosine if its embedder does", async () => {
    const { embedder, cache } = setUp();
    expect(cache.unrelatedCosine).toBeUndefined();
    const reporting = Object.assign(embedder, { unrelatedCosine: async () => 0.3 });
    const limits = { embedderCacheBytesMax: 1_300, embedderConcurrency: 2 };
    expect(await new EmbedderCache(reporting, limits).unrelatedCosine!()).toBe(0.3);
  });

  it("keeps the most recently used vectors within its byte limit", async () => {
    // Five entries fit, each with 256 bytes and 4 for its component.
    const { embedder, cache } = setUp();
    for (const text of ["a", "b", "c", "d", "e", "a", "f"]) await cache.embed([text], "query", FOR_A);
    embedder.requested.length = 0;
    for (const text of ["a", "c", "d", "e", "f", "b"]) await cache.embed([text], "query", FOR_A);
    expect(embedder.requested).toEqual(["query: b"]);
  });

  it("keeps no vectors if its limit is below the size of one", async () => {
    const { embedder, cache } = setUp({ embedderCacheBytesMax: 1 });
    await cache.embed(["a"], "query", FOR_A);
    expect(await cache.embed(["a"], "query", FOR_A)).toEqual([Float32Array.of(1)]);
    expect(embedder.requested).toEqual(["query: a", "query: a"]);
  });

  it("shares no vectors between different cacheScope values, or without one", async () => {
    const { embedder, cache } = setUp();
    const askers = [FOR_A, { cacheScope: "b" }, { cacheScope: "b\n" }, {}, {}, FOR_A];
    await Promise.all(askers.map((caller) => cache.embed(["\na"], "query", caller)));
    await cache.embed(["a"], "query", { cacheScope: "b\n" });
    await Promise.all(askers.map((caller) => cache.embed(["\na"], "query", caller)));
    expect(embedder.requested.map((text) => text.match(/a/g)?.length)).toEqual([5, 1, 2]);
  });

  it("keeps queries and documents apart", async () => {
    const { embedder, cache } = setUp();
    await cache.embed(["a"], "query", FOR_A);
    await cache.embed(["a"], "document", FOR_A);
    expect(embedder.requested).toEqual(["query: a", "document: a"]);
  });

  it("reports a failure to all waiting callers, and does not cache it", async () => {
    const { embedder, cache } = setUp();
    embedder.fails = true;
    const waiting = await Promise.allSettled([
      cache.embed(["a"], "query", FOR_A),
      cache.embed(["a"], "query", FOR_A),
    ]);
    expect(waiting.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    embedder.fails = false;
    expect(await cache.embed(["a"], "query", FOR_A)).toEqual([Float32Array.of(1)]);
    expect(embedder.requested).toHaveLength(2);
  });

  it("ends the wait of an aborted caller, but not the work that other callers wait for", async () => {
    const { embedder, cache } = setUp();
    const controller = new AbortController();
    const aborted = cache.embed(["a"], "query", { signal: controller.signal, ...FOR_A });
    const waiting = cache.embed(["a"], "query", FOR_A);
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    expect(await waiting).toEqual([Float32Array.of(1)]);
    await expect(cache.embed(["b"], "query", { signal: controller.signal, ...FOR_A })).rejects.toThrow(
      "enough",
    );
    expect(embedder.requested).toEqual(["query: a"]);
  });

  it("rejects vectors of a wrong number or size", async () => {
    const { embedder, cache } = setUp();
    embedder.embed = async () => [new Float32Array(2)];
    await expect(cache.embed(["a"], "query", FOR_A)).rejects.toMatchObject({ code: "unavailable" });
    embedder.embed = async () => [];
    await expect(cache.embed(["a"], "query", FOR_A)).rejects.toMatchObject({ code: "unavailable" });
  });

  it("is passed to every plugin, so that a query is embedded once for all tiers", async () => {
    const embedder = new LengthEmbedder();
    const plugin = () => {
      const made = new MapPlugin();
      const { open, onRetrieve } = made;
      made.open = async (services) => {
        await open.call(made, services);
        made.onRetrieve = async (selector, request) => {
          await services.embedder!.embed([request.query!], "query", { cacheScope: request.caller! });
          return onRetrieve.call(made, selector, request);
        };
      };
      return made;
    };
    const fixture = await HostFixture.start({ plugins: { working: plugin(), semantic: plugin() }, embedder });
    expect(await fixture.retrieve({ query: "tea" })).toMatchObject({ total: 0 });
    expect(embedder.requested).toEqual(["query: tea"]);
  });
});
