import { systemClock } from "@membus/protocol";
import { expect, it } from "vitest";
import { z } from "zod";
import { CostMeter, runAgent, type Tool } from "../src/index.js";
import type { Agent, AgentRun, AgentStep } from "../src/tools/index.js";
import { modelErrorOf, startModel } from "./model-fixture.js";
import type { Script } from "./scripted-openai/index.js";

const USAGE = { inputTokens: 10, outputTokens: 4 };

const clock: Tool<z.ZodObject<{ city: z.ZodString }>> = {
  name: "time_in",
  description: "The time in a city",
  parameters: z.object({ city: z.string() }),
  async run({ city }) {
    return `It is nine in ${city}`;
  },
};

const AGENT: Agent = { system: "You tell the time.", tools: [clock] };
const MESSAGES = [{ role: "user" as const, content: "What time is it in Rome and Oslo?" }];

function timeIn(city: string, id: string) {
  return { id, name: "time_in", arguments: { city } };
}

async function run(script: Script, options: Partial<AgentRun> = {}) {
  const started = await startModel(script);
  const { model, meter } = started;
  return { ...started, ran: runAgent({ ...AGENT, model, messages: MESSAGES, ...options }, meter) };
}

it("runs the tools that the model calls, and ends with its text", async () => {
  const steps: AgentStep[] = [];
  const { ran, server, meter } = await run(
    [
      { text: "Let me see", calls: [timeIn("Rome", "c1"), timeIn("Oslo", "c2")], usage: USAGE },
      { text: "Nine in both", usage: USAGE },
    ],
    { onStep: (step) => steps.push(step) },
  );
  const { messages, ...outcome } = await ran;
  expect(outcome).toEqual({ outcome: "answered", text: "Nine in both", stepCount: 2 });
  expect(messages).toEqual([
    {
      role: "assistant",
      content: "Let me see",
      tool_calls: [
        { id: "c1", name: "time_in", arguments: '{"city":"Rome"}' },
        { id: "c2", name: "time_in", arguments: '{"city":"Oslo"}' },
      ],
    },
    { role: "tool", content: "It is nine in Rome", tool_call_id: "c1", name: "time_in" },
    { role: "tool", content: "It is nine in Oslo", tool_call_id: "c2", name: "time_in" },
    { role: "assistant", content: "Nine in both" },
  ]);
  expect(server.requests[1]!.body.messages.map(({ role }) => role)).toEqual([
    "system",
    "user",
    "assistant",
    "tool",
    "tool",
  ]);
  expect(server.requests[0]!.body.tools!.map((tool) => tool.function.name)).toEqual(["time_in"]);
  expect(steps.map(({ step, results }) => [step, results.map(({ succeeded }) => succeeded)])).toEqual([
    [1, [true, true]],
    [2, []],
  ]);
  expect(meter.cost).toMatchObject({ modelCalls: 2, inputTokens: 20, outputTokens: 8 });
});

it("runs calls concurrently", async () => {
  const waiting: (() => void)[] = [];
  const meeting: Tool = {
    ...clock,
    run: () =>
      new Promise((resolve) => {
        waiting.push(() => resolve("met"));
        if (waiting.length === 2) for (const go of waiting) go();
      }),
  };
  const { ran } = await run([{ calls: [timeIn("Rome", "c1"), timeIn("Oslo", "c2")] }, { text: "Done" }], {
    tools: [meeting],
  });
  expect((await ran).text).toBe("Done");
});

it("reports invalid calls to the model and continues", async () => {
  const { ran, server } = await run([
    {
      calls: [
        { id: "c1", name: "time_at", arguments: {} },
        { id: "c2", name: "time_in", arguments: '{"city":' },
        { id: "c3", name: "time_in", arguments: { town: "Rome" } },
      ],
    },
    { text: "Sorry" },
  ]);
  expect(await ran).toMatchObject({ outcome: "answered", text: "Sorry" });
  const results = server.requests[1]!.body.messages.slice(3);
  expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(["c1", "c2", "c3"]);
  expect(results[0]!.content).toContain("did you mean `time_in`?");
  expect(results[1]!.content).toContain("are not JSON");
  expect(results[2]!.content).toContain("→ at city");
});

it("ends at the step limit, with a result for every call", async () => {
  const { ran, server } = await run(() => ({ calls: [timeIn("Rome", "c1")] }), { stepCountMax: 2 });
  const { messages, ...outcome } = await ran;
  expect(outcome).toEqual({ outcome: "step_limit", text: "", stepCount: 2 });
  expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant", "tool"]);
  expect(server.requests).toHaveLength(2);
});

it("runs at most `callCountMax` calls of a reply", async () => {
  const { ran } = await run([{ calls: [timeIn("Rome", "c1"), timeIn("Oslo", "c2")] }, { text: "Done" }], {
    callCountMax: 1,
  });
  const results = (await ran).messages.filter(({ role }) => role === "tool");
  expect(results.map(({ content }) => content)).toEqual([
    "It is nine in Rome",
    "Not run: a reply may have at most 1 calls. Call it again in your next reply.",
  ]);
});

it("reports that a text was cut off", async () => {
  const { ran } = await run([{ text: "It is", finishReason: "length" }]);
  expect(await ran).toMatchObject({ outcome: "cut_off", text: "It is" });
});

it("retries temporary failures at every step", async () => {
  const { ran, meter } = await run([
    { status: 429, headers: { "retry-after": "1" } },
    { calls: [timeIn("Rome", "c1")], usage: USAGE },
    { status: 503 },
    { text: "Nine", usage: USAGE },
  ]);
  expect(await ran).toMatchObject({ outcome: "answered", stepCount: 2 });
  expect(meter.cost).toMatchObject({ modelCalls: 4, inputTokens: 20 });
});

it("fails with the model's error, and reports the cost", async () => {
  const { ran, meter } = await run([{ calls: [timeIn("Rome", "c1")], usage: USAGE }, { status: 401 }]);
  expect((await modelErrorOf(ran)).code).toBe("unauthorized");
  expect(meter.cost).toMatchObject({ modelCalls: 2, inputTokens: 10 });
});

it("calls the model again once after an empty reply", async () => {
  const nothing = { fault: "no-choices" } as const;
  const { ran } = await run([nothing, { text: "Nine" }]);
  expect(await ran).toMatchObject({ outcome: "answered", text: "Nine", stepCount: 1 });
  const { ran: silent, server, meter } = await run(() => nothing);
  expect((await modelErrorOf(silent)).code).toBe("invalid_output");
  expect(server.requests).toHaveLength(2);
  expect(meter.cost).toMatchObject({ modelCalls: 2, inputTokens: 14 });
});

it("ends after an empty reply to tool results", async () => {
  const { ran } = await run([{ calls: [timeIn("Rome", "c1")] }, { text: "" }]);
  expect(await ran).toMatchObject({ outcome: "answered", text: "", stepCount: 2 });
});

it("fails if the model refuses", async () => {
  const { ran } = await run([{ refusal: "No" }]);
  expect((await modelErrorOf(ran)).code).toBe("refused");
});

it("rejects with the signal's reason while a tool runs", async () => {
  const stop = new AbortController();
  const endless: Tool = {
    ...clock,
    run: () => {
      stop.abort(new Error("enough"));
      return new Promise(() => {});
    },
  };
  const { ran, server } = await run([{ calls: [timeIn("Rome", "c1")] }], {
    tools: [endless],
    signal: stop.signal,
  });
  await expect(ran).rejects.toThrow("enough");
  expect(server.requests).toHaveLength(1);
});

it("reports a slow tool to the model, and aborts it", async () => {
  const stopped: boolean[] = [];
  const endless: Tool = {
    ...clock,
    run: (_, { signal }) => {
      signal!.addEventListener("abort", () => stopped.push(true));
      return new Promise(() => {});
    },
  };
  const { model } = await startModel([{ calls: [timeIn("Rome", "c1")] }, { text: "No idea" }]);
  const late = { ...AGENT, tools: [endless], model, messages: MESSAGES, callTimeoutMs: 20 };
  const { messages, text } = await runAgent(late, new CostMeter(systemClock));
  expect(messages[1]!.content).toMatch(/^time_in did not return within 20 ms/);
  expect([text, stopped]).toEqual(["No idea", [true]]);
});

it.each<[string, Partial<AgentRun>, string]>([
  ["a bound", { stepCountMax: 0 }, "stepCountMax must be an integer of 1..1000"],
  ["an unknown option", { stepCount: 3 } as never, "did you mean `stepCountMax`?"],
  ["two tools of one name", { tools: [clock, clock] }, "two tools have the name `time_in`"],
  [
    "an invalid name",
    { tools: [{ ...clock, name: "time in" }] },
    "a tool name must be 1..64 letters, digits, `_` or `-`, got `time in`",
  ],
  ["a length", { textLengthMax: 1 }, "textLengthMax must be an integer of 200..1000000"],
])("rejects %s before it calls the model", async (_, options, message) => {
  const { ran, server } = await run([{ text: "never" }], options);
  await expect(ran).rejects.toThrow(message);
  expect(server.requests).toEqual([]);
});
