import { OpenAI } from "openai";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Script, ScriptedOpenAi } from "./scripted-openai/index.js";

let server: ScriptedOpenAi;
let client: OpenAI;

beforeEach(async () => {
  server = await ScriptedOpenAi.start([]);
  client = new OpenAI({ apiKey: "any", baseURL: server.baseUrl, maxRetries: 0, logLevel: "off" });
});
afterEach(() => server.stop());

async function say(content: string) {
  const messages = [{ role: "user" as const, content }];
  const { choices } = await client.chat.completions.create({ model: "m", messages });
  return choices[0]!.message;
}

it("plays its answers in order, then returns an error", async () => {
  server.play([{ text: "one" }, { text: "two" }]);
  expect([(await say("a")).content, (await say("b")).content]).toEqual(["one", "two"]);
  await expect(say("c")).rejects.toThrow("500 the script has no answer 2");
  expect(server.requests.map(({ body }) => body.messages[0]!.content)).toEqual(["a", "b", "c"]);
});

it("answers by a function of the request", async () => {
  const echo: Script = ({ body }, index) => ({
    text: `${index}: ${body.messages.at(-1)!.content as string}`,
  });
  server.play(echo);
  expect([(await say("a")).content, (await say("b")).content]).toEqual(["0: a", "1: b"]);
});

it("restarts with a new script", async () => {
  server.play([{ text: "one" }]);
  await say("a");
  server.play([{ text: "first" }]);
  expect((await say("b")).content).toBe("first");
  expect(server.requests).toHaveLength(1);
});

it("gives concurrent requests their own answers", async () => {
  server.play(({ body }) => ({ text: `to ${body.messages[0]!.content as string}` }));
  const names = ["a", "b", "c", "d", "e"];
  const answers = await Promise.all(names.map(say));
  expect(answers.map(({ content }) => content)).toEqual(["to a", "to b", "to c", "to d", "to e"]);
});

it("says that its script failed", async () => {
  server.play(() => {
    throw new Error("lost the thread");
  });
  await expect(say("a")).rejects.toThrow("500 the script failed: Error: lost the thread");
});

it("knows one path", async () => {
  await expect(client.models.list()).rejects.toThrow("404 no such path: GET /v1/models");
  expect(server.requests).toEqual([]);
});

it("refuses in the field of the API", async () => {
  server.play([{ refusal: "No" }]);
  expect(await say("a")).toMatchObject({ content: null, refusal: "No" });
});
