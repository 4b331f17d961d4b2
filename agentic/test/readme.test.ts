import { readFileSync } from "node:fs";
import * as protocol from "@membus/protocol";
import * as records from "@membus/protocol/records";
import ts from "typescript";
import { expect, it } from "vitest";
import { z } from "zod";
import { exampleOf } from "../../docs/test/code-blocks.js";
import * as agentic from "./every-export.js";
import { startModel } from "./model-fixture.js";
import { calling, DONE, scriptedMemory } from "./progressive-fixture.js";

const GUIDE = readFileSync(new URL("../../docs/guides/models-and-tools.md", import.meta.url), "utf8");
const PROGRESSIVE = readFileSync(new URL("../../docs/guides/progressive-memory.md", import.meta.url), "utf8");

/** Returns the code below `<!-- example: name -->`, without types and imports. */
function runnable(page: string, name: string): string {
  const code = exampleOf(page, name);
  const { outputText } = ts.transpileModule(code, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
  return outputText.replaceAll(/^import [^;]+;$/gm, "");
}

/** Runs the examples in order, as one program. */
async function runExamples(baseUrl: string) {
  const scope = {
    ...agentic,
    ...protocol,
    ...records,
    z,
    process: { stdout: { write: (text: string) => written.push(text) } },
    console: { log: (...values: unknown[]) => written.push(...values) },
  };
  const written: unknown[] = [];
  const code = `${runnable(GUIDE, "ask")}\n${runnable(GUIDE, "agent")}`.replace(
    "http://127.0.0.1:11434/v1",
    baseUrl,
  );
  expect(code).toContain(baseUrl);
  const names = Object.keys(scope).filter((name) => /^[a-z_]\w*$/i.test(name));
  const run = new Function(
    ...names,
    `return (async () => { ${code}; return { facts, outcome, text }; })()`,
  ) as (...values: unknown[]) => Promise<object>;
  return { result: await run(...names.map((name) => scope[name as keyof typeof scope])), written };
}

it("the examples work as described", async () => {
  const { server } = await startModel([
    { json: { facts: ["moved to Rome in May"] } },
    { text: "You moved." },
    { calls: [{ name: "weather_in", arguments: { thinking: "Rome, then", city: "Rome" } }] },
    { text: "Take an umbrella" },
  ]);
  const { result, written } = await runExamples(server.baseUrl);
  expect(result).toEqual({
    facts: ["moved to Rome in May"],
    outcome: "answered",
    text: "Take an umbrella",
  });
  expect(written.slice(0, -3).join("")).toBe("You moved.");
  expect(written.at(-1)).toMatchObject({ modelCalls: 3 });
  expect(server.requests[3]!.body.messages.at(-1)!.content).toBe("It rains in Rome");
});

it("the example of progressive memory works as described", async () => {
  const add = calling("add_memory", { memories: [{ memory_content: "Alice travels to Oslo on 3 May" }] });
  const tasks = { memory_tasks: [{ memory_type: "personal", memory_target: "alice" }] };
  const scripts = {
    summarizer: [calling("hands_off", tasks), DONE],
    personal: [add, DONE],
    retriever: [calling("vector_retrieve_memory", { query_items: [{ query: "trip to Oslo" }] }), DONE],
  };
  const { client, model } = await scriptedMemory(scripts);
  const run = new Function(
    "ProgressiveMemory",
    "client",
    "model",
    `return (async () => { ${runnable(PROGRESSIVE, "progressive")}; return { extraction, changes, prompt, short, results }; })()`,
  ) as (...values: unknown[]) => Promise<object>;
  expect(await run(agentic.ProgressiveMemory, client, model)).toMatchObject({
    extraction: "done",
    changes: [{ action: "added", memoryTarget: "alice" }],
    prompt: "You are Remy.\n<memories>\n- Alice travels to Oslo on 3 May\n</memories>",
    short: [{ content: expect.stringMatching(/^\[offloaded /) }],
    results: [{ text: "I travel to Oslo on 3 May" }],
  });
});

it("the table of errors lists every code", () => {
  const rows = [...GUIDE.matchAll(/^\| ((?:`\w+`(?:, )?)+) \| /gm)].flatMap(([, cell]) => cell!.split(", "));
  expect(rows.sort()).toEqual(
    [
      "`invalid_output`",
      "`invalid_request`",
      "`rate_limited`",
      "`refused`",
      "`timeout`",
      "`too_large`",
      "`unauthorized`",
      "`unavailable`",
    ].sort(),
  );
});
