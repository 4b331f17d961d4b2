import { createServer } from "node:http";
import { afterAll, beforeEach, expect, it } from "vitest";
import { freePort } from "../../../bus/test/free-port.js";
import { NatsFixture } from "../../../bus/test/nats-fixture.js";
import { NATS_SERVER } from "../../../bus/test/nats-server.js";
import { requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { readServerSettings, requireServerSettings } from "../../src/cluster/server-settings.js";

const fixture = new NatsFixture();
const LOSS = "a loss of power may lose acknowledged stores: set `sync_interval: always` in `jetstream`";

beforeEach(requireRecentServer);
afterAll(() => fixture.close());

/** Starts a server and returns the address of its monitoring. */
async function launch(name: string, jetstream: string): Promise<string> {
  const port = await freePort();
  const place = `store_dir: "${await fixture.folder()}"`;
  const lines = [`server_name: ${name}`, `http: "127.0.0.1:${port}"`];
  const block = jetstream === "off" ? [] : [`jetstream { ${place}, ${jetstream} }`];
  await fixture.launchConfigured(NATS_SERVER, [...lines, ...block].join("\n"));
  return `http://127.0.0.1:${port}`;
}

it("servers show whether they write each store to disk", async () => {
  const urls = [
    await launch("safe", "sync_interval: always"),
    await launch("late", "sync_interval: 2m"),
    await launch("without", "off"),
    `http://127.0.0.1:${await freePort()}`,
  ];
  const servers = await readServerSettings(urls);
  expect(servers).toEqual([
    { server: "safe", isKnown: true },
    { server: "late", isKnown: true, problem: LOSS },
    {
      server: "without",
      isKnown: true,
      problem: "JetStream is off: add `jetstream` to its configuration",
    },
    {
      server: urls[3]!.slice("http://".length),
      isKnown: false,
      problem: expect.stringContaining("ECONNREFUSED"),
    },
  ]);
  const unknown: string[] = [];
  const note = (problem: string) => void unknown.push(problem);
  await requireServerSettings([urls[0]!, urls[3]!], note);
  expect(unknown).toEqual([expect.stringContaining("its monitoring is unknown")]);
  await expect(requireServerSettings(urls, note)).rejects.toMatchObject({
    code: "conflict",
    message: `nats-server late: ${LOSS}`,
  });
});

it("a server that is too old is refused by its name", async () => {
  const varz = { server_name: "old", version: "2.13.1", jetstream: { config: { sync_always: true } } };
  const server = createServer((_, response) => response.end(JSON.stringify(varz)));
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  fixture.onClose(async () => server.close());
  await expect(requireServerSettings([`http://127.0.0.1:${port}`], () => {})).rejects.toMatchObject({
    code: "conflict",
    message: "nats-server old: version 2.13.1 is too old for a cluster: install version 2.14 or later",
  });
});
