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
import { literal, say } from "./learner-fixture.js";
import { startModel } from "./model-fixture.js";

const GUIDE = readFileSync(
  new URL("../../docs/guides/learning-from-conversations.md", import.meta.url),
  "utf8",
);

const fixture = new NatsFixture();
afterEach(() => fixture.close());

it("the example of a learner works as described", async () => {
  const { url } = await fixture.launch({ binary: NATS_SERVER });
  const { bus, logger } = await fixture.connect({ servers: url });
  const plugins = { episodic: createLruPlugin() };
  const host = createHost({ bus, plugins, logger, clock: systemClock }, { discoveryWaitMs: 10 });
  await host.start();
  fixture.onClose(() => host.stop());
  const memory = await MemoryClient.connect({ servers: url, agent: "alice" });
  fixture.onClose(() => memory.close());
  await say(memory, "trip", "The user does live in Rome");
  const { model } = await startModel(literal);

  const example = exampleOf(GUIDE, "learner");
  const scope = { ...agentic, memory, model };
  const run = new Function(
    ...Object.keys(scope),
    `return (async () => { ${example.replaceAll(/^import .*$/gm, "")}; return { memories, merges }; })()`,
  ) as (...values: unknown[]) => Promise<object>;
  expect(await run(...Object.values(scope))).toMatchObject({
    memories: [{ text: "The user does live in Rome" }],
    merges: [],
  });
});
