import type { Message } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { openFixture } from "./client-fixture.js";
import { storeAll } from "./scripted-host.js";

const entry = (tier?: "working" | "semantic") => ({ key: "a", content: 1, ...(tier && { tier }) });

const PAGE = { entries: [], total: 0, total_relation: "eq" };
const FORGOTTEN = { deleted: 0, receipt: { id: "r", at: 1, by_tier: {}, purge: "done" } };

function answer(message: Message): Message {
  if (message.type === "memory/store/req") return storeAll(message);
  return message.type === "memory/forget/req" ? FORGOTTEN : PAGE;
}

async function subjectsOf(tierSubjects?: boolean): Promise<string[]> {
  const { client, host } = await openFixture({ answer, client: { ...(tierSubjects && { tierSubjects }) } });
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
  it("puts the tier of single-tier requests into their subjects", async () => {
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

  it("is off by default", async () => {
    expect(new Set(await subjectsOf())).toEqual(new Set(["store.req", "retrieve.req", "forget.req"]));
  });
});
