import { expect, it } from "vitest";
import { agentsSessionScript } from "../scripted/agents-session.js";
import { ExampleStage } from "./example-run.js";

const stage = new ExampleStage("agents-session", agentsSessionScript);

it("uses the messages of earlier turns, and undoes the last one", async () => {
  const { code, stdout, stderr, left } = stage.result;
  expect([code, stderr, left]).toEqual([0, "", []]);
  expect(stdout).toContain("agent:  89 euros.\n");
  expect(stdout).toContain("agent:  140 euros.\n");
  expect(stdout).toMatch(/undone: the last turn; \d+ of 10 items remain\n/);
  expect(stdout).toContain("user:   Who am I?\nagent:  You are Ada.\n");
  const memory = await stage.connect("travel-desk");
  const { total } = await memory.retrieve({ namespace: "openai-sessions", group: "ada", limit: 0 });
  expect(total).toBeGreaterThan(2);
});
