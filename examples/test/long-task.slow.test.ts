import { readFileSync } from "node:fs";
import { openConversation } from "@membus/agentic";
import { expect, it } from "vitest";
import { requestOf } from "../../agentic/test/scripted-openai/index.js";
import { longTaskScript } from "../scripted/long-task.js";
import { wordsOf } from "../scripted/request.js";
import { ExampleStage } from "./example-run.js";

const stage = new ExampleStage("long-task", longTaskScript);

const NAMES = ["01-envelope", "02-subjects", "04-errors", "05-plugin", "06-conformance", "07-records"];
const CHAPTERS = NAMES.length;
const CHAPTER_TEXTS = NAMES.map((name) =>
  readFileSync(new URL(`../../protocol/spec/${name}.md`, import.meta.url), "utf8"),
);
const BOUND = "`messageBytes` | 67,108,864";
const SUMMARY = "Chapters of the protocol were read.";

it("reads more than its context holds, and reloads removed parts", () => {
  const { code, stdout, stderr, left } = stage.result;
  expect([code, stderr, left]).toEqual([0, "", []]);
  const prompts = stage.requests.filter((request) => requestOf(request).name === "").map(wordsOf);
  const [question, finalPrompt] = prompts.slice(-2);
  expect(prompts).toHaveLength(CHAPTERS + 3);
  expect(question).toContain(SUMMARY);
  expect(question).not.toContain(BOUND);
  expect(finalPrompt).toContain(BOUND);
  expect(stdout).toContain("agent: 67,108,864\n");
  expect(stdout).toMatch(/compacted: \d+ -> \d+ tokens, by offload, summarization\n/);
  for (const [, before, after] of stdout.matchAll(/compacted: (\d+) -> (\d+) tokens/g)) {
    expect(Number(after)).toBeLessThan(Number(before));
  }
  const readLength = CHAPTER_TEXTS.join("").length;
  expect(Math.max(...prompts.map(({ length }) => length))).toBeLessThan(readLength / 2);
});

it("leaves the whole conversation and the offloaded parts on the bus", async () => {
  const client = await stage.connect("reader");
  const conversations = client.inNamespace("conversations");
  const where = (kind: string) => ({ field: "metadata.kind", op: "eq", value: kind }) as const;
  const { entries } = await conversations.retrieve({ where: where("message"), tier: "episodic", limit: 100 });
  const conversation = await openConversation(client, { id: entries[0]!.group! });
  const messages = await conversation.messages();
  expect(entries).toHaveLength(messages.length);
  const results = messages.filter(({ name }) => name === "read_chapter").map(({ content }) => content);
  expect(results).toEqual(CHAPTER_TEXTS);
  expect(await conversation.summary()).toMatchObject({ text: SUMMARY });
  const { total } = await conversations.retrieve({ where: where("offload"), tier: "episodic", limit: 0 });
  expect(total).toBeGreaterThanOrEqual(CHAPTERS - 1);
});
