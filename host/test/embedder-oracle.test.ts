import { createLruPlugin } from "@membus/plugin-lru";
import type { Embedder } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { HostFixture } from "./host-fixture.js";

/** Counts how often it is asked for a text. */
class CountingEmbedder implements Embedder {
  readonly id = "counting";
  readonly dimensions = 2;
  readonly #asked: string[] = [];

  async embed(texts: readonly string[]) {
    this.#asked.push(...texts);
    return texts.map((text) => Float32Array.of(text.length, 1));
  }

  timesFor(text: string): number {
    return this.#asked.filter((asked) => asked === text).length;
  }
}

const SECRET = "the offer is 12 million";

/** A host whose working tier has alice's entry with the secret, embedded. */
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

describe("how long an embedding takes", () => {
  it("does not tell another tenant or agent that the text is known: each has a call of its own", async () => {
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

  it("nor when the same text is asked for at the same time", async () => {
    const { embedder, guess } = await started();
    await Promise.all([guess("alice", "other"), guess("bob", "acme"), guess("bob", "acme")]);
    expect(embedder.timesFor(SECRET)).toBe(3);
  });

  it("nor when it is stored", async () => {
    const { embedder, fixture } = await started();
    await fixture.ask("memory/store/req", { entries: [{ key: "b", content: SECRET }] }, "bob", "acme");
    await fixture.ask("memory/retrieve/req", { query: "anything" }, "bob", "acme");
    expect(embedder.timesFor(SECRET)).toBe(2);
  });
});
