import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@membus/protocol";
import { connect } from "@nats-io/transport-node";
import { expect, it, onTestFinished } from "vitest";
import { NATS_SERVER as binary } from "../../../bus/test/nats-server.js";
import { requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { launchNatsCluster } from "../src/index.js";
import { readServerInfo } from "../src/server-info.js";
import { temporaryDir } from "./fake-nats-server.js";

const answers = async (url: string) =>
  (await readServerInfo(Number(new URL(url).port), 5_000, systemClock)) !== undefined;

async function launch(options: { syncAlways?: boolean; advertise?: boolean; config?: string } = {}) {
  const directory = temporaryDir();
  const cluster = await launchNatsCluster({ binary, directory, ...options });
  onTestFinished(async () => {
    await cluster.kill();
    await rm(directory, { recursive: true });
  });
  return { ...cluster, directory };
}

it("launchNatsCluster starts three servers that store a stream three times", {
  timeout: 60_000,
}, async () => {
  const { urls, nodes } = await launch();
  expect(nodes.map(({ name }) => name)).toEqual(["n1", "n2", "n3"]);
  const connection = await connect({ servers: urls[0]! });
  onTestFinished(() => connection.close());
  const stream = JSON.stringify({ name: "s", subjects: ["s"], num_replicas: 3 });
  const replicas = async () => {
    const answer = await connection.request("$JS.API.STREAM.CREATE.s", stream).catch(() => undefined);
    return answer?.json<{ cluster?: { replicas?: unknown[] } }>().cluster?.replicas?.length;
  };
  await expect.poll(replicas).toBe(2);
});

it("a killed node starts again under its URL", async () => {
  const { nodes, urls } = await launch();
  await nodes[1]!.kill();
  expect(nodes[1]!.server).toBeUndefined();
  expect(await Promise.all(urls.map(answers))).toEqual([true, false, true]);
  await nodes[1]!.start();
  expect(nodes[1]!.url).toBe(urls[1]);
  expect(await Promise.all(urls.map(answers))).toEqual([true, true, true]);
});

it("syncAlways and config are in the configuration of each node", async (context) => {
  requireRecentServer(context);
  const { directory } = await launch({ syncAlways: true, config: "max_payload: 4096" });
  for (const name of ["n1", "n2", "n3"]) {
    const text = readFileSync(join(directory, `${name}.conf`), "utf8");
    expect(text).toContain("sync_interval: always");
    expect(text).toContain("max_payload: 4096");
  }
});

it.each([
  [true, 3],
  [false, 0],
])("a client learns other servers if advertise is %s", async (advertise, count) => {
  const { urls } = await launch({ advertise });
  const [first, second] = await Promise.all(urls.slice(0, 2).map((server) => connect({ servers: server })));
  onTestFinished(async () => void (await Promise.all([first!.close(), second!.close()])));
  second!.subscribe("ask", { callback: (_, message) => void message.respond() });
  // Answered once the servers are connected to each other.
  await expect.poll(() => first!.request("ask").catch(() => undefined)).toBeDefined();
  const known = async () => {
    const connection = await connect({ servers: urls[0]! });
    const { connect_urls: found = [] } = connection.info!;
    await connection.close();
    return found.length;
  };
  await expect.poll(known).toBe(count);
});

it("kill ends all nodes", async () => {
  const { urls, kill } = await launch();
  await kill();
  expect(await Promise.all(urls.map(answers))).toEqual([false, false, false]);
});
