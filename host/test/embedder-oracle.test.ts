import { createLruPlugin } from "@membus/plugin-lru";
import type { Embedder } from "@membus/protocol/plugin";
import { describe, expect, it } from "vitest";
import { HostFixture } from "./host-fixture.js";

/** Counts its calls per text. */
class CountingEmbedder implements Embedder {
  readonly id = "counting";
  readonly dimensions = 2;
  readonly #requested: string[] = [];

  async embed(texts: readonly string[]) {
    this.#requested.push(...texts);
    return texts.map((text) => Float32Array.of(text.length, 1));
  }

  timesFor(text: string): number {
    return this.#requested.filter((requested) => requested === text).length;
  }
}

const SECRET = "the offer is 12 million";

/** Starts a host with an embedded entry of alice, the secret, in its working tier. */
async function started() {
  const embedder = new CountingEmbedder();
  const fixture = await HostFixture.start({ plugins: { working: createLruPlugin() }, embedder });
  await fixture.ask("memory/store/req", { entries: [{ key: "a", content: SECRET }] }, "alice", "acme");
  await fixture.ask("memory/retrieve/req", { query: "anything" }, "alice", "acme");
  expect(embedder.timesFor(SECRET)).toBe(1);
  const guess = (agent: string, tenant: string) =>
    fixture.ask("memory/retrieve/req", { query: SECRET }, agent, tenant);
  return { embedder, fixture, guess };
}

describe("the duration of an embedding", () => {
  it("does not reveal to another tenant or agent that a text is known, because each has its own call", async () => {
    const { embedder, guess } = await started();
    const counts: number[] = [];
    for (const [agent, tenant] of [
      ["alice", "other"],
      ["bob", "acme"],
      ["alice", "acme"],
      ["alice", "acme"],
    ]) {
      await guess(agent!, tenant!);
      counts.push(embedder.timesFor(SECRET));
    }
    expect(counts).toEqual([2, 3, 4, 4]);
  });

  it("does not reveal it for concurrent requests with the same text", async () => {
    const { embedder, guess } = await started();
    await Promise.all([guess("alice", "other"), guess("bob", "acme"), guess("bob", "acme")]);
    expect(embedder.timesFor(SECRET)).toBe(3);
  });

  it("does not reveal it for stores of the same text", async () => {
    const { embedder, fixture } = await started();
    await fixture.ask("memory/store/req", { entries: [{ key: "b", content: SECRET }] }, "bob", "acme");
    await fixture.ask("memory/retrieve/req", { query: "anything" }, "bob", "acme");
    expect(embedder.timesFor(SECRET)).toBe(2);
  });
});
