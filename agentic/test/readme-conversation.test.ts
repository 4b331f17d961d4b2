import { readFileSync } from "node:fs";
import { MemoryClient } from "@membus/agent-client";
import { createHost } from "@membus/host";
import { createLruPlugin } from "@membus/plugin-lru";
import { systemClock } from "@membus/protocol";
import { afterEach, expect, it } from "vitest";
import { NatsFixture } from "../../bus/test/nats-fixture.js";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { exampleOf } from "../../docs/test/code-blocks.js";
import * as agentic from "./every-export.js";
import { startModel } from "./model-fixture.js";

const GUIDE = readFileSync(new URL("../../docs/guides/history-that-fits.md", import.meta.url), "utf8");

const fixture = new NatsFixture();
afterEach(() => fixture.close());

async function startHost(): Promise<string> {
  const { url } = await fixture.launch({ binary: NATS_SERVER });
  const { bus, logger } = await fixture.connect({ servers: url });
  const host = createHost(
    { bus, plugins: { episodic: createLruPlugin() }, logger, clock: systemClock },
    { discoveryWaitMs: 10 },
  );
  await host.start();
  fixture.onClose(() => host.stop());
  return url;
}

it("the example of a conversation works as described", async () => {
  const url = await startHost();
  const { server, model } = await startModel([{ text: "In May?" }]);
  const example = exampleOf(GUIDE, "conversation");
  const body = example.replaceAll(/^import .*$/gm, "").replace("nats://127.0.0.1:4222", url);
  expect(body).toContain(url);
  const scope = { ...agentic, MemoryClient, model };
  const run = new Function(
    ...Object.keys(scope),
    `return (async () => { ${body}; return { question, reply }; })()`,
  ) as (...values: unknown[]) => Promise<object>;
  expect(await run(...Object.values(scope))).toMatchObject({
    question: { id: "m2", message: { content: "When?" } },
    reply: { text: "In May?" },
  });
  expect(server.requests[0]!.body.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant"]);
});
