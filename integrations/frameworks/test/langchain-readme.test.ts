import { readFileSync } from "node:fs";
import { Annotation, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";
import { MemoryClient } from "@membus/agent-client";
import ts from "typescript";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exampleOf } from "../../../docs/test/code-blocks.js";
import { MembusChatMessageHistory } from "../src/langchain/index.js";
import { MembusSaver, MembusStore } from "../src/langgraph/index.js";
import { RealHost } from "./real-host.js";

const page = (name: string) =>
  readFileSync(new URL(`../../../docs/integrations/${name}.md`, import.meta.url), "utf8");

const host = new RealHost();
beforeAll(() => host.start());
afterAll(() => host.close());

/** Returns the code below `<!-- example: name -->`, without types and imports. */
function runnable(name: string): string {
  const code = exampleOf(page(name), name);
  const { outputText } = ts.transpileModule(code, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
  return outputText.replaceAll(/^import [^;]+;$/gm, "");
}

it("the examples work as described", async () => {
  const builder = new StateGraph(Annotation.Root({ said: Annotation<string> }))
    .addNode("note", async ({ said }, { store }: LangGraphRunnableConfig) => {
      await store!.put(["people", "ada"], "drink", { said: `Ada says: ${said}` });
    })
    .addEdge(START, "note");
  const code = `${runnable("langgraph")}\n${runnable("langchain")}`.replace(
    "nats://127.0.0.1:4222",
    host.url,
  );
  expect(code).toContain(host.url);
  const scope = { MemoryClient, MembusSaver, MembusStore, MembusChatMessageHistory, builder };
  const run = new Function(
    ...Object.keys(scope),
    `return (async () => { ${code}; await memory.close(); return { found, texts: messages.map(({ text }) => text) }; })()`,
  ) as (...values: unknown[]) => Promise<object>;
  expect(await run(...Object.values(scope))).toMatchObject({
    found: [{ namespace: ["people", "ada"], key: "drink", value: { said: "Ada says: I drink tea" } }],
    texts: ["My train leaves at nine", "Have a good journey"],
  });
});
