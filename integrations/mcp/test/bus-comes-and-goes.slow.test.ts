import { launchNatsServer } from "@membus/nats-server";
import { keyHash } from "@membus/protocol";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { freePort } from "../../../bus/test/free-port.js";
import { NATS_SERVER } from "../../../bus/test/nats-server.js";
import { RunningHost } from "../../../cli/test/running-host.js";
import { McpFixture } from "./mcp-fixture.js";

const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

let fixture = new McpFixture();
afterEach(async () => {
  await fixture.stop();
  fixture = new McpFixture();
});

it.each(["2026-07-28", "former"] as const)(
  "starts for %s without a bus, reports it, and works once a bus runs",
  async (revision) => {
    const port = await freePort();
    await fixture.useBus(`nats://127.0.0.1:${port}`);
    const client = await fixture.client("stdio", revision);
    expect((await client.tools()).length).toBe(5);
    const early = await client.call("memory_recall", { key: "a" });
    expect(early).toMatchObject({ isError: true });
    expect(early.text).toMatch(/127\.0\.0\.1:\d+.*\(unavailable\)\. Ask the user to start the memory/s);
    await expect(client.resources()).rejects.toThrow();
    const server = await launchNatsServer({ binary: NATS_SERVER, port });
    try {
      await fixture.startHost();
      expect(await client.call("memory_remember", { key: "a", value: 1 })).toMatchObject({ isError: false });
      const { structured } = await client.call("memory_recall", { key: "a" });
      expect(structured).toEqual({ found: true, value: 1 });
    } finally {
      await fixture.stop();
      await server.stop();
    }
  },
);

it("connects to a bus in the background, so that a client that only subscribes is notified", async () => {
  const port = await freePort();
  await fixture.useBus(`nats://127.0.0.1:${port}`);
  const client = await fixture.client("stdio", "2026-07-28", ["--namespace", "quiet"]);
  const uri = `membus://episodic/${keyHash("a")}`;
  const notices = await client.subscribe(uri);
  const server = await launchNatsServer({ binary: NATS_SERVER, port });
  try {
    await fixture.startHost();
    const memory = await fixture.memory("quiet");
    let reported: string | undefined;
    const waiting = notices.next().then((notice) => {
      reported = notice;
    });
    for (let value = 0; reported === undefined; value++) {
      await memory.remember("a", value, { tier: "episodic" });
    }
    await waiting;
    expect(reported).toBe(uri);
  } finally {
    await fixture.stop();
    await server.stop();
  }
});

it("continues after the host is killed and restarted, and loses nothing acknowledged", async () => {
  await fixture.useBus(host.url);
  const client = await fixture.client("stdio", "2026-07-28", ["--namespace", "killed"]);
  const graph = await fixture.client("http", "former", ["--namespace", "killed", "--graph"]);
  const acknowledged: string[] = [];
  let killing: Promise<void> | undefined;
  for (let number = 0; number < 60; number++) {
    const [stored, created] = await Promise.all([
      client.call("memory_store", { memories: [{ key: `k${number}`, content: `value ${number}` }] }),
      graph.call("create_entities", {
        entities: [{ name: `k${number}`, entityType: "number", observations: [] }],
      }),
    ]);
    expect([stored.isError, created.isError, stored.text]).toEqual([false, false, expect.anything()]);
    acknowledged.push(`k${number}`);
    if (number === 20) killing = host.restart();
  }
  await killing;
  for (const key of acknowledged) {
    expect((await client.call("memory_recall", { key })).structured).toMatchObject({ found: true });
  }
  const { structured } = await graph.call("read_graph");
  expect((structured!.entities as { name: string }[]).map(({ name }) => name)).toEqual(acknowledged);
});
