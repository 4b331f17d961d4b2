import { expect, it } from "vitest";
import { memoryToolScript } from "../scripted/memory-tool.js";
import { ExampleStage } from "./example-run.js";

const stage = new ExampleStage("memory-tool", memoryToolScript);

it("answers from notes that one conversation has written and another has corrected", async () => {
  const { code, stdout, stderr, left } = stage.result;
  expect([code, stderr, left]).toEqual([0, "", []]);
  expect(stdout).toContain("claude:  On a Thursday; ask Ada.\n");
  expect(stdout).toContain("text: 'Deploys: Thursdays\\nSigned off by: Ada\\n'");
  expect(stage.requests).toHaveLength(10);
  expect(stage.requests[0]).toMatchObject({
    path: "/v1/messages",
    body: { tools: [{ type: "memory_20250818", name: "memory" }] },
  });
  const memory = await stage.connect("claude");
  const { entries } = await memory.retrieve({ namespace: "memories", tier: "episodic" });
  expect(entries).toMatchObject([
    { key: { file: "deploys.md" }, content: { text: "Deploys: Thursdays\nSigned off by: Ada\n" } },
  ]);
});
