import { LongTermMemory } from "@membus/agentic";
import { expect, it } from "vitest";
import { aiSdkScript } from "../scripted/ai-sdk.js";
import { ExampleStage } from "./example-run.js";

const stage = new ExampleStage("ai-sdk", aiSdkScript);

it("answers from the memories of each user, and forgets on request", async () => {
  const { code, stdout, stderr, left } = stage.result;
  expect([code, stderr, left]).toEqual([0, "", []]);
  expect(stdout).toContain("user:ada: What shall I eat tonight?\ncook: Lentils with spinach.\n");
  expect(stdout).toContain("user:bob: What shall I eat tonight?\ncook: A goulash.\n");
  expect(stdout).toMatch(/ {2}forget \{"ids":\["\w+"\]\}\nuser:ada: Forget .*\ncook: It is forgotten\.\n/);
  const memory = new LongTermMemory(await stage.connect("cook"), { subject: "user:ada" });
  const known: string[] = [];
  for await (const { text } of memory.entries()) known.push(text);
  expect(known).toContain("What shall I eat tonight?");
  expect(known).not.toContain("I eat no meat.");
});
