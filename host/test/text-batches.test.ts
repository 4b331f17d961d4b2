import { MemoryError } from "@membus/protocol";
import type { Embedder, EmbedKind } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { TextBatches } from "../src/plugin-calls/embedder-cache.js";
import { turn } from "./fake-clock.js";

/** Answers when the test allows it. The vector of a text is its length. */
class SlowEmbedder implements Embedder {
  readonly id = "slow";
  readonly dimensions = 1;
  readonly requested: string[] = [];
  readonly #pending: (() => void)[] = [];
  /** Errors by the text that causes them. */
  failures: Record<string, Error> = {};

  async embed(texts: readonly string[], kind: EmbedKind) {
    this.requested.push(`${kind}: ${texts.join(" ")}`);
    await new Promise<void>((resolve) => this.#pending.push(resolve));
    for (const text of texts) if (this.failures[text]) throw this.failures[text];
    return texts.map((text) => Float32Array.of(text.length));
  }

  /** Completes the call that has waited longest, and its follow-up work. */
  async answer(): Promise<void> {
    this.#pending.shift()!();
    await turn();
  }
}

function setUp(concurrency: number) {
  const embedder = new SlowEmbedder();
  return { embedder, batches: new TextBatches(embedder, concurrency) };
}

const lengths = (vectors: (Float32Array | null)[]) => vectors.map((vector) => vector![0]);

describe("TextBatches", () => {
  it("batches the calls of one turn immediately, and returns each caller its own vectors", async () => {
    const { embedder, batches } = setUp(8);
    const calls = [["a", "bb"], ["ccc"], ["dddd"]].map((texts) => batches.embed(texts, "query"));
    await turn();
    expect(embedder.requested).toEqual(["query: a bb ccc dddd"]);
    await embedder.answer();
    expect((await Promise.all(calls)).map(lengths)).toEqual([[1, 2], [3], [4]]);
  });

  it("batches calls that are queued while the maximum number of calls is running", async () => {
    const { embedder, batches } = setUp(2);
    const calls: Promise<unknown>[] = [];
    for (const text of ["a", "b", "c", "d"]) {
      calls.push(batches.embed([text], "query"));
      await turn();
    }
    expect(embedder.requested).toEqual(["query: a", "query: b"]);
    await embedder.answer();
    expect(embedder.requested).toEqual(["query: a", "query: b", "query: c d"]);
    await embedder.answer();
    await embedder.answer();
    expect(await Promise.all(calls)).toHaveLength(4);
  });

  it("runs queries before documents, and never mixes them", async () => {
    const { embedder, batches } = setUp(1);
    const calls = [batches.embed(["first"], "document")];
    await turn();
    calls.push(batches.embed(["doc"], "document"), batches.embed(["query"], "query"));
    for (const _call of [1, 2, 3]) await embedder.answer();
    expect(embedder.requested).toEqual(["document: first", "query: query", "document: doc"]);
    expect(await Promise.all(calls)).toHaveLength(3);
  });

  it("limits the size of a batch, but never splits a call", async () => {
    const { embedder, batches } = setUp(1);
    const many = Array.from({ length: 300 }, () => "x");
    const calls = [["a"], many, ["b"], ["c".repeat(262_144)], ["d"]].map((texts) =>
      batches.embed(texts, "document"),
    );
    await turn();
    for (const _call of calls) await embedder.answer();
    await Promise.all(calls);
    const sizes = embedder.requested.map(
      (requested) => requested.replace("document: ", "").split(" ").length,
    );
    expect(sizes).toEqual([1, 300, 1, 1, 1]);
  });

  it("does not let the text of one call fail another call", async () => {
    const { embedder, batches } = setUp(1);
    embedder.failures = { long: new MemoryError("too_large", "too long") };
    const calls = ["a", "long", "b"].map((text) => batches.embed([text], "document"));
    const settled = Promise.allSettled(calls);
    await turn();
    for (const _call of [1, 2, 3, 4]) await embedder.answer();
    expect((await settled).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(embedder.requested).toEqual([
      "document: a long b",
      "document: a",
      "document: long",
      "document: b",
    ]);
  });

  it("reports a transient failure to all callers, without separate retries", async () => {
    const { embedder, batches } = setUp(1);
    embedder.failures = { b: new MemoryError("unavailable", "away") };
    const settled = Promise.allSettled(["a", "b"].map((text) => batches.embed([text], "document")));
    await turn();
    await embedder.answer();
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(embedder.requested).toHaveLength(1);
  });

  it("refuses further calls when 1,024 calls are queued", async () => {
    const { embedder, batches } = setUp(1);
    const first = batches.embed(["first"], "query");
    await turn();
    const waiting = Array.from({ length: 1_024 }, () => batches.embed(["x"], "query"));
    await expect(batches.embed(["y"], "query")).rejects.toMatchObject({
      code: "overloaded",
      detail: { retry_after_ms: 200 },
    });
    await embedder.answer();
    for (const _batch of [1, 2, 3, 4]) await embedder.answer();
    expect(await Promise.all([first, ...waiting])).toHaveLength(1_025);
    expect(embedder.requested).toHaveLength(5);
  });
});
