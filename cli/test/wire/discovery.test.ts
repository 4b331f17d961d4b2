import { readFileSync } from "node:fs";
import { type ServiceClient, type ServiceIdentity, Svcm } from "@nats-io/services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { ask } from "./bare-request.js";
import { Wire } from "./wire-fixture.js";

const PAGE = readFileSync(new URL("../../../docs/operate/monitoring.md", import.meta.url), "utf8");
const [, FIGURES] = /## Figures of a host\n([\s\S]+?)\n## /.exec(PAGE)!;
const TYPES = ["store", "retrieve", "forget", "status", "list"].map((name) => `memory.${name}.req`);

async function only<T extends ServiceIdentity>(answers: Promise<AsyncIterable<T>>): Promise<T> {
  const received: T[] = [];
  for await (const answer of await answers) received.push(answer);
  expect(received.length).toBe(1);
  return received[0]!;
}

describe.each(NATS_SERVERS)("discovery by the official NATS client over %s", (binary) => {
  let wire: Wire;
  let services: ServiceClient;

  beforeAll(async () => {
    // Adds a quota of a durable tier, which has its own metrics.
    wire = await Wire.start({ binary, config: { quotas: { episodic: { agent: { entries: 1_000_000 } } } } });
    // The package is built against another version of the core than the connection.
    const untilAnswered = { strategy: "stall", maxWait: 30_000 } as const;
    services = new Svcm((await wire.connection()) as never).client(untilAnswered);
  });
  afterAll(() => wire?.close());

  it("pings", async () => {
    const { id } = wire.host.stats();
    const expected = { type: "io.nats.micro.v1.ping_response", name: "membus", id };
    expect(await only(services.ping())).toMatchObject(expected);
    expect(await only(services.ping("membus"))).toMatchObject(expected);
    expect(await only(services.ping("membus", id))).toMatchObject(expected);
  });

  it("shows the features of the host", async () => {
    const { endpoints, metadata } = await only(services.info("membus"));
    expect(endpoints.map(({ subject, queue_group }) => [subject, queue_group])).toEqual(
      [...TYPES, "ping"].map((type) => [`a2e.*.*.${type}`, "membus"]),
    );
    expect(metadata).toMatchObject({
      protocol_version: "1.1",
      state: "serving",
      tenants: "*",
      tiers: "working,episodic,semantic",
      embedder_dimensions: "128",
    });
    const plugins = JSON.parse(metadata!.plugins!);
    expect(Object.keys(plugins)).toEqual(["working", "episodic", "semantic"]);
    expect(plugins.episodic.features).toMatchObject({ durable: true, similarity: true, eviction: false });
    expect(JSON.parse(metadata!.limits!)).toMatchObject({ entryBytes: 256 * 1024, retrieveLimit: 1000 });
  });

  it("shows exactly the tier statistics documented in the README", async () => {
    const { tiers } = (await only(services.stats("membus"))) as unknown as { tiers: Record<string, object> };
    const reported = new Set(Object.values(tiers).flatMap((stats) => Object.keys(stats)));
    const explained = [...FIGURES!.matchAll(/`(\w+)`(?=[^|\n]*\| [^|\n]* \|$)/gm)].map(
      ([, figure]) => figure!,
    );
    expect(explained.toSorted()).toEqual([...reported].sort());
  });

  it("counts requests and errors by operation", async () => {
    const nats = await wire.connection();
    await ask(nats, "alice", "memory/retrieve/req", {});
    await ask(nats, "alice", "memory/retrieve/req", { limit: -1 });
    const { endpoints } = await only(services.stats("membus"));
    const counts = endpoints!.map(({ name, num_requests, num_errors }) => [name, num_requests, num_errors]);
    expect(counts).toEqual([
      ["store", 0, 0],
      ["retrieve", 2, 1],
      ["forget", 0, 0],
      ["status", 0, 0],
      ["list", 0, 0],
      ["ping", 0, 0],
    ]);
  });
});
