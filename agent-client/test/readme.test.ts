import { readFileSync } from "node:fs";
import { createHost } from "@membus/host";
import { createLruPlugin } from "@membus/plugin-lru";
import { systemClock } from "@membus/protocol";
import { afterEach, expect, it } from "vitest";
import { NatsFixture } from "../../bus/test/nats-fixture.js";
import { NATS_SERVERS } from "../../bus/test/nats-server.js";
import { exampleOf } from "../../docs/test/code-blocks.js";
import * as client from "../src/index.js";

const PAGE = readFileSync(new URL("../../docs/reference/javascript-client.md", import.meta.url), "utf8");

const fixture = new NatsFixture();
afterEach(() => fixture.close());

/** Starts a real host on a real server with all tiers in memory. */
async function startHost(binary: string): Promise<string> {
  const { url } = await fixture.launch({ binary });
  const { bus, logger } = await fixture.connect({ servers: url });
  const plugins = { working: createLruPlugin(), episodic: createLruPlugin(), semantic: createLruPlugin() };
  const host = createHost({ bus, plugins, logger, clock: systemClock }, { discoveryWaitMs: 10 });
  await host.start();
  fixture.onClose(() => host.stop());
  return url;
}

it.each(NATS_SERVERS)("the example of the README works over %s", async (binary) => {
  const url = await startHost(binary);
  const body = exampleOf(PAGE, "javascript-client")
    .replace(/^import .*$/m, "")
    .replace("nats://127.0.0.1:4222", url);
  expect(body).toContain(url);
  const run = new Function(
    "MemoryClient",
    `return (async () => { ${body}; return { stored, entries, deleted, name }; })()`,
  ) as (connect: typeof client.MemoryClient) => Promise<Record<string, unknown>>;
  expect(await run(client.MemoryClient)).toMatchObject({
    stored: [{ id: "fact1" }, { id: "task1" }],
    entries: [{ content: { text: "Earth orbits the Sun" } }],
    deleted: 1,
    name: "Alice",
  });
});

it("the options table matches CLIENT_DEFAULTS", () => {
  const rows = [...PAGE.matchAll(/^\| `(\w+)` \| `(.+?)` \|/gm)];
  const documented = Object.fromEntries(rows.map(([, name, value]) => [name, JSON.parse(value!) as unknown]));
  expect(documented).toEqual(client.CLIENT_DEFAULTS);
});
