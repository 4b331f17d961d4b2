import { readFileSync } from "node:fs";
import { MemoryClient } from "@membus/agent-client";
import { createHost } from "@membus/host";
import { createLruPlugin } from "@membus/plugin-lru";
import * as protocol from "@membus/protocol";
import * as records from "@membus/protocol/records";
import ts from "typescript";
import { afterEach, expect, it } from "vitest";
import { NatsFixture } from "../../bus/test/nats-fixture.js";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { exampleOf } from "../../docs/test/code-blocks.js";
import * as agentic from "./every-export.js";
import { foundFacts, requestOf } from "./long-term-fixture.js";
import { startModel } from "./model-fixture.js";

const GUIDE = readFileSync(new URL("../../docs/guides/agent-with-memory.md", import.meta.url), "utf8");

const fixture = new NatsFixture();
afterEach(() => fixture.close());

async function startHost(): Promise<string> {
  const { url } = await fixture.launch({ binary: NATS_SERVER });
  const { bus, logger } = await fixture.connect({ servers: url });
  const plugins = { working: createLruPlugin(), episodic: createLruPlugin() };
  const host = createHost({ bus, plugins, logger, clock: protocol.systemClock }, { discoveryWaitMs: 10 });
  await host.start();
  fixture.onClose(() => host.stop());
  return url;
}

interface Example {
  readonly client: MemoryClient;
  readonly longTerm: agentic.LongTermMemory;
  answer(question: string): Promise<string>;
}

async function runExample(servers: string, baseUrl: string): Promise<Example> {
  const code = exampleOf(GUIDE, "memory");
  const { outputText } = ts.transpileModule(code, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
  const body = outputText
    .replaceAll(/^import [^;]+;$/gm, "")
    .replace("nats://127.0.0.1:4222", servers)
    .replace("http://127.0.0.1:11434/v1", baseUrl);
  expect(body).toContain(servers);
  expect(body).toContain(baseUrl);
  const scope = { ...agentic, ...protocol, ...records, MemoryClient };
  const run = new Function(
    ...Object.keys(scope),
    `return (async () => { ${body}; return { client, longTerm, answer }; })()`,
  ) as (...values: unknown[]) => Promise<Example>;
  return run(...Object.values(scope));
}

it("the example stores its input and does not learn recalled text again", async () => {
  const { server } = await startModel((request) => {
    const { name, prompt } = requestOf(request);
    if (name === "facts")
      return prompt.includes("I moved to Rome") ? foundFacts("The user lives in Rome") : foundFacts();
    return { text: prompt.includes("] (fact of") ? "You live in Rome" : "I do not know" };
  });
  const { client, longTerm, answer } = await runExample(await startHost(), server.baseUrl);
  expect(await answer("Where do I live?")).toBe("I do not know");
  expect(await answer("I moved to Rome")).toBe("I do not know");
  await longTerm.settled();
  expect(await answer("Where do I live, does the user live in Rome?")).toBe("You live in Rome");
  await longTerm.close();
  expect(await longTerm.sizes()).toMatchObject({ fact: 1 });
  await client.close();
});
