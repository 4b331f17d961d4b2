import { KnowledgeGraph, LongTermMemory } from "@membus/agentic";
import { expect, it } from "vitest";
import { wordsOf } from "../scripted/request.js";
import { teamScript } from "../scripted/team.js";
import { ExampleStage } from "./example-run.js";

const stage = new ExampleStage("team", teamScript);

const SECRET = "The operator fears for her job.";
const PENALTY = "Order 71 has a penalty of 9,000 a day.";

it("shares findings between agents, but no private notes", () => {
  const { code, stdout, stderr, left } = stage.result;
  expect([code, stderr, left]).toEqual([0, "", []]);
  expect(stdout).toContain("writer: Connection: 1. pump P2 | cools | line 4; order 71 | made_on | line 4\n");
  for (const [agent, notes] of [
    ["scout", 1],
    ["planner", 1],
    ["writer", 0],
  ]) {
    const seen = `${agent} sees 4 statements (pump P2 – line 4 – order 71), and ${notes} private notes\n`;
    expect(stdout).toContain(seen);
  }
  const requestsOf = (agent: string) =>
    stage.requests.filter((one) => wordsOf(one).includes(`You are the ${agent}`));
  expect(requestsOf("writer").map(wordsOf).join()).not.toMatch(/fears|9,000/);
  expect(wordsOf(requestsOf("planner")[1]!)).toContain("pump P2 | cools | line 4 (score 0.");
});

it("leaves private notes on the bus that only their owner finds", async () => {
  const found: Record<string, string[]> = {};
  for (const agent of ["scout", "planner", "writer"]) {
    const client = await stage.connect(agent);
    const { memories } = await new LongTermMemory(client, { subject: "notes" }).retrieve("job or penalty", {
      minScore: 0,
    });
    const { entries } = await client.retrieve({ namespace: "about/**", limit: 100 });
    const graph = new KnowledgeGraph(client, { tier: "semantic", namespace: "graph/plant" });
    expect((await graph.query()).total).toBe(4);
    expect(entries.map(({ content }) => content)).toEqual(memories.map(({ record }) => record.content));
    found[agent] = memories.map(({ text }) => text);
  }
  expect(found).toEqual({ scout: [SECRET], planner: [PENALTY], writer: [] });
});
