import { expect, it } from "vitest";
import { calls } from "./kit-calls.js";
import { TestKit } from "./kit-fixture.js";

const agentsOf = async (kit: TestKit) => (await kit.plugin.onAgents({ tenant: "acme", limit: 10 })).agents;

/** A kit that loads no partition at its start, with entries of three agents in storage. */
async function storedKit(): Promise<TestKit> {
  const kit = await TestKit.open({ options: { preloadCount: 0 } });
  for (const agent of ["alice", "bob", "zoë"])
    await calls(kit, { agent }).store([{ key: "a" }, { key: "b" }]);
  await kit.flush();
  await kit.plugin.maintain();
  return kit;
}

it("lists agents without loading their partitions", async () => {
  const kit = await storedKit();
  await kit.reopen();
  expect(await agentsOf(kit)).toEqual(["alice", "bob", "zoë"]);
  expect(kit.plugin.stats().partitions).toBe(0);
});

it("does not list an agent after a forget that a crash left in the log only", async () => {
  const kit = await storedKit();
  await calls(kit, { agent: "bob" }).forget({});
  await calls(kit, { agent: "zoë" }).forget({ keys: ["a"] });
  await kit.crash();
  expect(await agentsOf(kit)).toEqual(["alice", "zoë"]);
});

it("lists an agent with an entry that a crash left in the log only", async () => {
  const kit = await storedKit();
  await calls(kit, { agent: "carol" }).store([{ key: "a" }]);
  await kit.crash();
  expect(await agentsOf(kit)).toEqual(["alice", "bob", "carol", "zoë"]);
});
