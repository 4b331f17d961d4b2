import { expect, it } from "vitest";
import { langchainScript } from "../scripted/langchain.js";
import { ExampleStage } from "./example-run.js";

const stage = new ExampleStage("langchain", langchainScript);

it("continues a history in another process, and others can search it", () => {
  const { code, stdout, stderr, left } = stage.result;
  expect([code, stderr, left]).toEqual([0, "", []]);
  expect(stdout).toBe(
    [
      "user: My train to Rome leaves at nine.",
      "guide: Have a good journey.",
      "user: When do I have to leave?",
      "guide: At half past eight.",
      "found without LangChain, among 4 messages: My train to Rome leaves at nine.",
      "",
    ].join("\n"),
  );
  expect(stage.requests[1]!.body.messages.map(({ role }) => role)).toEqual([
    "system",
    "user",
    "assistant",
    "user",
  ]);
});
