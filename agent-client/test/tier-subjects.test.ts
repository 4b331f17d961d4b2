import { describe, expect, it } from "vitest";
import { openFixture } from "./client-fixture.js";

const entry = (tier?: "working" | "semantic") => ({ key: "a", content: 1, ...(tier && { tier }) });

async function subjectsOf(tierSubjects?: boolean): Promise<string[]> {
  const { client, host } = await openFixture({ client: { ...(tierSubjects && { tierSubjects }) } });
  await client.store([entry("semantic"), entry("semantic")]);
  await client.store([entry(), entry("working")]);
  await client.store([entry(), entry("semantic")]);
  await client.store({ ...entry(), tier: "no.tier" as never });
  await client.retrieve({ tier: "episodic" });
  await client.retrieve();
  await client.forget({ tier: "working", all: true });
  return host.requests.map(({ subject }) => subject.slice("a2e.default.alice.memory.".length));
}

describe("tierSubjects", () => {
  it("has requests about one tier name it in their subjects", async () => {
    expect(await subjectsOf(true)).toEqual([
      "store.semantic.req",
      "store.working.req",
      "store.req",
      "store.req",
      "retrieve.episodic.req",
      "retrieve.req",
      "forget.working.req",
    ]);
  });

  it("is off unless asked for", async () => {
    expect(new Set(await subjectsOf())).toEqual(new Set(["store.req", "retrieve.req", "forget.req"]));
  });
});
