import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ScriptedOpenAi } from "../../agentic/test/scripted-openai/index.js";
import { resultOf } from "../../cli/test/run-cli.js";
import { startExample } from "./example-run.js";
import { isRunning, leftIn, pidsOf } from "./left-behind.js";

const NAMES = ["assistant", "coding-agent", "team", "long-task", "langgraph", "langchain"];
/** Examples with a framework that reports an unreachable model with its own message. */
const OF_FRAMEWORKS = ["agents-session", "ai-sdk", "memory-tool"];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "membus-test-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Returns a loopback address without a server. */
async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}

const modelAt = (url: string) => ({ OPENAI_BASE_URL: url, OPENAI_MODEL: "any" });

it("without a model, prints the variables to set and starts nothing", async () => {
  const settings = [{}, { OPENAI_MODEL: "any" }, { OPENAI_API_KEY: "key" }];
  for (const { code, stdout, stderr } of await Promise.all(
    settings.map((given) => resultOf(startExample("team", folder, given))),
  )) {
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=");
  }
  expect(leftIn(folder)).toEqual([]);
});

it("each example reports an unreachable model, and leaves no files or processes", async () => {
  const url = await closedUrl();
  const examples = NAMES.map((name) => startExample(name, folder, modelAt(url)));
  const ends = examples.map((example) => Promise.all([resultOf(example), pidsOf(example)]));
  for (const [{ code, stderr }, pids] of await Promise.all(ends)) {
    expect(code).toBe(1);
    expect(stderr.replace(url, "URL")).toMatch(/^The model at URL gave no answer \(unavailable\): .+\n$/);
    expect(pids.map(isRunning)).toEqual([false, false]);
  }
  expect(leftIn(folder)).toEqual([]);
});

it("stops everything it has started when it is interrupted during a model call", async () => {
  let onRequest: () => void = () => {};
  const thinking = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  const model = await ScriptedOpenAi.start(() => {
    onRequest();
    return { fault: "no-answer" };
  });
  const example = startExample("assistant", folder, modelAt(model.baseUrl));
  const result = resultOf(example);
  const pids = await pidsOf(example);
  await thinking;
  expect(pids.map(isRunning)).toEqual([true, true]);
  example.kill("SIGINT");
  const { code, stderr } = await result;
  await model.stop();
  expect([code, stderr]).toEqual([1, "interrupted\n"]);
  expect(pids.map(isRunning)).toEqual([false, false]);
  expect(leftIn(folder)).toEqual([]);
});

it("lets code of the model read only its own file, and write none", async () => {
  const module = `// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from "node:fs";
export const slug = (text) => text;
writeFileSync("slug.test.js", "");`;
  const attempts = [
    { name: "write_file", arguments: { file: "../out.js", text: module } },
    { name: "read_file", arguments: { file: "/etc/passwd" } },
    { name: "write_file", arguments: { file: "slug.js", text: module } },
    { name: "run_test", arguments: { file: "slug.test.js" } },
  ];
  const model = await ScriptedOpenAi.start((_, index) => ({ calls: [attempts[index] ?? attempts[3]!] }));
  const { stdout } = await resultOf(startExample("coding-agent", folder, modelAt(model.baseUrl)));
  const answers = model.requests[4]!.body.messages.filter(({ role }) => role === "tool");
  await model.stop();
  expect(stdout).toContain("failed tool calls: 9\n");
  expect(answers.map(({ content }) => String(content))).toEqual([
    expect.stringContaining("The arguments of write_file are invalid"),
    expect.stringContaining("The arguments of read_file are invalid"),
    "written: slug.js",
    expect.stringContaining("ERR_ACCESS_DENIED"),
  ]);
});

it("completes if the model finds no facts", async () => {
  const model = await ScriptedOpenAi.start(({ body }) =>
    body.response_format === undefined ? { text: "Yes." } : { json: { facts: [] } },
  );
  const { code, stdout, stderr } = await resultOf(startExample("assistant", folder, modelAt(model.baseUrl)));
  await model.stop();
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.match(/learned: {4}nothing new \(done\)/g)).toHaveLength(3);
  expect(stdout).toMatch(/today: {6}unknown\n {2}yesterday: {2}unknown\n$/);
});

it("runs with scripted answers on a temporary bus, and leaves nothing", async () => {
  const example = startExample("team", folder, {}, "--scripted");
  const [{ code, stdout, stderr }, pids] = await Promise.all([resultOf(example), pidsOf(example)]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("writer sees 4 statements (pump P2 – line 4 – order 71), and 0 private notes\n");
  expect(pids.map(isRunning)).toEqual([false, false]);
  expect(leftIn(folder)).toEqual([]);
});

it("lists the examples, and reports an unreachable bus", async () => {
  const unknown = await resultOf(startExample("nothing", folder, {}));
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    `Name one of these examples: ${[...NAMES, ...OF_FRAMEWORKS, "mcp"].join(", ")}\n`,
  ]);
  const settings = { ...modelAt("http://127.0.0.1:9/v1"), NATS_URL: "nats://127.0.0.1:9" };
  const { code, stderr } = await resultOf(startExample("team", folder, settings));
  expect(code).toBe(1);
  expect(stderr).toMatch(/^The bus reports unavailable: .*127\.0\.0\.1:9/);
});
