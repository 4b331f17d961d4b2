// A task that exceeds the context. The agent reads the chapters of the protocol in this repository one after
// the other. Older messages are offloaded and summarised, and are reloaded when a question needs them. No
// message is lost.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { MemoryClient } from "@membus/agent-client";
import {
  type ChatMessage,
  type ChatModel,
  ContextWindow,
  callTool,
  completeInWindow,
  openConversation,
  type Tool,
  toOpenAiTools,
} from "@membus/agentic";
import type { ContextEvent } from "@membus/agentic/context";
import { typedTool } from "@membus/agentic/tools";
import { z } from "zod";
import type { Setting } from "./setting.js";

const CHAPTERS = ["01-envelope", "02-subjects", "04-errors", "05-plugin", "06-conformance", "07-records"];
const CALL_COUNT_MAX = 20;

const USER_MESSAGES = [
  `Read all ${CHAPTERS.length} chapters of the protocol, one at a time, and summarise them in one sentence.`,
  "How many bytes may one message have at most (messageBytes)? Look it up: the first chapter contains it.",
];
const PROMPT =
  "You read long documents. If your context grows too long, parts of it are removed. Use look_up to get them back.";

export async function longTask({ servers, model }: Setting): Promise<void> {
  const client = await MemoryClient.connect({ servers, agent: "reader" });
  const conversation = await openConversation(client, { id: randomUUID(), description: PROMPT });
  const window = new ContextWindow(
    conversation,
    // A small limit for this example. Real contexts have a hundred thousand tokens or more.
    {
      thresholdTokens: 3_000,
      minReductionRatio: 0.02,
      offloadTokensMin: 300,
      excludedProcessors: ["tool_truncation"],
    },
    { model, onEvent: report },
  );
  for (const content of USER_MESSAGES) {
    console.log(`\nuser: ${content}`);
    await window.add({ role: "user", content });
    console.log(`agent: ${await answer(window, model)}`);
  }
  const summary = await conversation.summary();
  console.log(`\nsummary: ${summary?.text ?? "none was needed"}`);
  console.log(`The stored conversation has all ${await conversation.size()} messages.`);
  await client.close();
}

/** Calls the model, which may use tools, until it answers. */
async function answer(window: ContextWindow, model: ChatModel): Promise<string> {
  const tools = [readChapter, lookUp(window)];
  const declared = toOpenAiTools(tools).map((tool) => tool.function);
  for (let callCount = 0; callCount < CALL_COUNT_MAX; callCount++) {
    const { text, toolCalls, usage } = await completeInWindow(model, window, { tools: declared });
    if (toolCalls.length === 0) {
      await window.add({ role: "assistant", content: text });
      return text;
    }
    console.log(
      `  ${usage.inputTokens} tokens, then ${toolCalls.map(({ name, arguments: args }) => name + args)}`,
    );
    const called: ChatMessage = {
      role: "assistant",
      content: text || null,
      tool_calls: toolCalls.map((call) => ({ ...call })),
    };
    const results = toolCalls.map(async (call): Promise<ChatMessage> => {
      const content = await callTool(tools, call);
      return { role: "tool", content, tool_call_id: call.id, name: call.name };
    });
    await window.add([called, ...(await Promise.all(results))]);
  }
  return "(stopped after the maximum number of model calls)";
}

const readChapter: Tool = typedTool({
  name: "read_chapter",
  description: `Reads a chapter: ${CHAPTERS.map((name, n) => `${n + 1} is ${name}`).join(", ")}.`,
  parameters: z.object({ chapter: z.int().min(1).max(CHAPTERS.length) }),
  run: ({ chapter }) =>
    readFile(new URL(`../protocol/spec/${CHAPTERS[chapter - 1]}.md`, import.meta.url), "utf8"),
});

function lookUp(window: ContextWindow): Tool {
  return typedTool({
    name: "look_up",
    description:
      "Returns parts that were removed from your context: a key returns the complete text, a question returns the best match.",
    parameters: z.object({ query: z.string().min(1) }),
    async run({ query }) {
      const found = await window.reload(query, { limit: 1 });
      return found.map(({ text }) => text).join("\n") || "Nothing found.";
    },
  });
}

function report(event: ContextEvent): void {
  if (event.status !== "completed" || event.stages.length === 0) return;
  const { before, after, stages } = event;
  console.log(`  compacted: ${before.tokens} -> ${after.tokens} tokens, by ${stages.join(", ")}`);
}
