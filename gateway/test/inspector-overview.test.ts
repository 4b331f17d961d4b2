import { openConversation } from "@membus/agentic";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentsReply, Overview, UsersReply } from "../src/inspector/inspector-api.js";
import { InspectedGateway } from "./inspected-gateway.js";

const fixture = new InspectedGateway();
beforeAll(async () => {
  await fixture.open();
  const { alice } = fixture;
  await alice.store([
    { key: "a", content: "one", tier: "episodic" },
    { key: "b", content: "two", tier: "semantic" },
  ]);
  await alice.inNamespace("about/user:ada").store({ key: "c", content: "three", tier: "episodic" });
  await alice.inNamespace("users/grace/notes").store({ key: "d", content: "four", tier: "episodic" });
  const talk = await openConversation(alice, { id: "user:linus/work" });
  await talk.add({ role: "user", content: "Good morning" });
  await alice.forAgent("bob").store({ key: "e", content: "five", tier: "episodic" });
});
afterAll(() => fixture.stop());

async function ask<T>(path: string, params: Readonly<Record<string, string>> = {}) {
  const query = new URLSearchParams({ tenant: "default", agent: "alice", ...params });
  const response = await fetch(`${fixture.url}/inspector/${path}?${query}`);
  return { status: response.status, body: (await response.json()) as T };
}

/** Adds the steps of the growth up, null if one of them is unknown. */
function grown({ growth }: Overview): number | null {
  const steps = growth.steps.map(({ entries }) => entries);
  return steps.includes(null) ? null : steps.reduce<number>((sum, entries) => sum + entries!, 0);
}

describe("the overview of the inspector API", () => {
  it("counts all memory of an agent", async () => {
    const { body } = await ask<Overview>("overview");
    expect(body.tiers).toMatchObject([
      { tier: "working", entries: 0 },
      { tier: "episodic", entries: 4 },
      { tier: "semantic", entries: 1 },
    ]);
    expect(body.kinds).toEqual([{ kind: "message", entries: 1 }]);
    expect([body.agents, body.users, body.namespaces]).toEqual([1, 3, 4]);
    expect(body.largest?.[0]).toEqual({ name: "default", entries: 2 });
    expect(grown(body)).toBe(5);
  });

  it("counts the memory of all known agents without an agent", async () => {
    const { body } = await ask<Overview>("overview", { agent: "" });
    expect(body.tiers.map(({ entries }) => entries)).toEqual([0, 5, 1]);
    expect([body.agents, body.users, grown(body)]).toEqual([2, 3, 6]);
  });

  it.each([
    ["day", 24, 3_600],
    ["week", 14, 43_200],
    ["month", 30, 86_400],
  ])("divides a %s into %i steps of the time zone", async (range, count, stepS) => {
    const { growth } = (await ask<Overview>("overview", { range, zone: "-90" })).body;
    expect([growth.range, growth.steps.length, growth.step_s]).toEqual([range, count, stepS]);
    expect(growth.steps.map(({ from }) => (from + 90 * 60) % stepS)).toEqual(Array(count).fill(0));
    expect(growth.steps.at(-1)!.from).toBeGreaterThan(Date.now() / 1_000 - stepS - 60);
  });

  it("rejects an unknown range", async () => {
    const { status, body } = await ask("overview", { range: "constructor" });
    expect([status, body]).toMatchObject([
      400,
      { error: { message: "range: must be one of day, week, month" } },
    ]);
  });

  it("lists users of namespaces and conversations", async () => {
    const { body } = await ask<UsersReply>("users");
    expect(body.users.map(({ name, entries }) => [name, entries]).sort()).toEqual([
      ["ada", 1],
      ["grace", 1],
      ["linus", 1],
    ]);
  });
});

describe("the agents of the inspector API", () => {
  it("are authors in the shared tier and agents that published events, with their entries", async () => {
    const { body } = await ask<AgentsReply>("agents", { agent: "" });
    expect(body.agents.map(({ name, shared, own }) => [name, shared, own])).toEqual([
      ["alice", 1, 4],
      ["bob", 0, 1],
    ]);
  });

  it("include an opened agent only if it has entries", async () => {
    await ask("namespaces", { agent: "empty" });
    const { body } = await ask<AgentsReply>("agents");
    expect(body.agents.map(({ name }) => name)).toEqual(["alice", "bob"]);
  });
});

it("figures of tiers that do not answer are unknown", async () => {
  const alone = new InspectedGateway({ hasOwnHost: true });
  await alone.open();
  await alone.stopHost();
  const response = await fetch(`${alone.url}/inspector/overview?tenant=default&agent=alice`);
  const body = (await response.json()) as Overview;
  expect(body.tiers.map(({ entries }) => entries)).toEqual([null, null, null]);
  expect([body.kinds, body.namespaces, body.users, grown(body)]).toEqual([null, null, null, null]);
  await alone.stop();
});
