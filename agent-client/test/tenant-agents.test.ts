import { expect, it } from "vitest";
import { tenantAgents } from "../src/index.js";
import { openFixture } from "./client-fixture.js";

const FAILED = { tier: "working", code: "unavailable", message: "it is closed" };
const agentNamed = (name: string) => ({ name, tiers: ["episodic"] });

it("reads every page, also while a tier fails", async () => {
  const answer = ({ cursor }: { readonly cursor?: unknown }) =>
    cursor === "bob"
      ? { agents: [agentNamed("carol")], degraded: [FAILED] }
      : { agents: [agentNamed("alice"), agentNamed("bob")], cursor: "bob", degraded: [FAILED] };
  const { client } = await openFixture({ answer });
  expect(await tenantAgents(client, 10)).toEqual({
    agents: [agentNamed("alice"), agentNamed("bob"), agentNamed("carol")],
    degraded: [FAILED],
  });
});

it("requests no more agents than the maximum", async () => {
  const answer = () => ({ agents: [agentNamed("alice"), agentNamed("bob")], cursor: "bob" });
  const { client, host } = await openFixture({ answer });
  expect((await tenantAgents(client, 2)).agents).toHaveLength(2);
  expect(host.requests).toHaveLength(1);
  expect(host.requests[0]).toMatchObject({
    subject: "a2e.default.$OPERATOR.memory.agents.req",
    message: { limit: 2 },
  });
});
