import { expect, it } from "vitest";
import { openMemory } from "../../../agentic/test/memory-fixture.js";
import { startModel } from "../../../agentic/test/model-fixture.js";
import { extractSessions } from "../src/remember/extraction.js";

it("counts the told facts that agents store, their calls, and separates variants", async () => {
  const { memory } = await openMemory();
  const { model, server } = await startModel(({ body }) => {
    const last = body.messages.at(-1)!;
    if (last.role === "tool") return { text: "done" };
    const isSummarizer = body.tools!.some((tool) => JSON.stringify(tool).includes("hands_off"));
    const memories = [{ memory_content: "The user's dog is called Biscuit" }];
    const tasks = [{ memory_type: "personal", memory_target: "user" }];
    return isSummarizer
      ? { calls: [{ name: "hands_off", arguments: { memory_tasks: tasks } }] }
      : { calls: [{ name: "add_memory", arguments: { memories } }] };
  });
  const variant = { name: "a", thinking: "tool", enableMultiple: true } as const;
  const extraction = await extractSessions(memory, model, variant);
  expect(extraction).toMatchObject({ found: 1, stored: 1, done: 3, calls: 12 });
  expect(JSON.stringify(server.requests[0]!.body.tools)).toContain('"think"');
  const plain = { name: "b", thinking: "parameter", enableMultiple: false } as const;
  const from = server.requests.length;
  await extractSessions(memory, model, plain);
  const tools = JSON.stringify(server.requests[from]!.body.tools);
  expect(tools).toContain('"thinking"');
  expect(tools).not.toContain("memory_tasks");
});
