import { connectNatsBus } from "@membus/bus";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { systemClock } from "@membus/protocol";
import { Svcm } from "@nats-io/services";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../bus/test/nats-server.js";
import { RecordingLogger } from "../../bus/test/recording-logger.js";
import { createHost, type Host } from "../src/index.js";
import { HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

const OPERATIONS = ["store", "retrieve", "forget", "status", "list"];

async function ask(fixture: HostFixture, subject: string): Promise<Record<string, unknown>> {
  const { payload } = await fixture.bus.request(subject, new Uint8Array(), { timeoutMs: 30_000 });
  return JSON.parse(Buffer.from(payload).toString()) as Record<string, unknown>;
}

describe("discovery", () => {
  it("answers for all services, for membus, and for this host", async () => {
    const embedder = { id: "m1", dimensions: 2, embed: async () => [] };
    const fixture = await HostFixture.start({ embedder, options: { tenants: ["acme", "other"] } });
    for (const suffix of ["", ".membus", `.membus.${fixture.host.id}`]) {
      const ping = await ask(fixture, `$SRV.PING${suffix}`);
      expect(ping).toMatchObject({
        type: "io.nats.micro.v1.ping_response",
        name: "membus",
        id: fixture.host.id,
      });
    }
    const info = await ask(fixture, "$SRV.INFO.membus");
    const subjects = [...OPERATIONS.map((name) => `a2e.*.*.memory.${name}.req`), "a2e.*.*.ping"];
    expect((info.endpoints as { subject: string }[]).map(({ subject }) => subject)).toEqual(subjects);
    const metadata = info.metadata as Record<string, string>;
    expect(Object.values(metadata).every((value) => typeof value === "string")).toBe(true);
    expect(metadata).toMatchObject({
      protocol_version: "1.1",
      state: "serving",
      serving_ms: "0",
      prefix: "a2e",
      tenants: "acme,other",
      tiers: "working",
      features: "full_text,ttl,conditional,subtree",
      embedder_id: "m1",
      embedder_dimensions: "2",
    });
    expect(JSON.parse(metadata.plugins!)).toMatchObject({
      working: { name: "map", features: { durable: false } },
    });
    expect(JSON.parse(metadata.limits!)).toMatchObject({ entryBytes: 262_144 });
  });

  it("counts requests, errors and nanoseconds for each endpoint", async () => {
    const fixture = await HostFixture.start();
    await fixture.retrieve();
    await fixture.retrieve({ tier: "semantic" });
    const { endpoints, started } = await ask(fixture, "$SRV.STATS.membus");
    expect(started).toBe("2027-01-15T08:00:00.000Z");
    expect((endpoints as object[])[1]).toEqual({
      name: "retrieve",
      subject: "a2e.*.*.memory.retrieve.req",
      queue_group: "membus",
      num_requests: 2,
      num_errors: 1,
      processing_time: 0,
      average_processing_time: 0,
    });
  });
});

describe.each(NATS_SERVERS)("the client of @nats-io/services on %s", (binary) => {
  let server: NatsServer;
  let connection: NatsConnection;
  let host: Host;
  let closeBus: () => Promise<void>;

  beforeAll(async () => {
    server = await launchNatsServer({ binary });
    const dependencies = { clock: systemClock, logger: new RecordingLogger() };
    const bus = await connectNatsBus({ servers: server.url }, dependencies);
    closeBus = () => bus.close();
    host = createHost({ bus, ...dependencies, plugins: { working: new MapPlugin() } });
    await host.start();
    connection = await connect({ servers: server.url });
  });

  afterAll(async () => {
    await connection?.close();
    await host?.stop();
    await closeBus?.();
    await server?.stop();
  });

  it("finds the host, its endpoints and its statistics", async () => {
    // The package has its own copy of the nats-core types, which are identical.
    const client = new Svcm(connection as never).client({ strategy: "stall", maxWait: 30_000 });
    const [identity] = await all(client.ping("membus"));
    expect(identity).toMatchObject({ name: "membus", id: host.id, version: "0.1.0" });
    const [info] = await all(client.info("membus", host.id));
    expect(info!.endpoints.map(({ name, queue_group }) => [name, queue_group])).toEqual(
      [...OPERATIONS, "ping"].map((name) => [name, "membus"]),
    );
    const [stats] = await all(client.stats("membus"));
    expect(stats!.endpoints!.map(({ num_requests }) => num_requests)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it("gets replies while an agent uses plain JSON on the same connection", async () => {
    const request = { type: "memory/store/req", entries: [{ key: "a", content: 1 }] };
    const reply = await connection.request("a2e.default.alice.memory.store.req", JSON.stringify(request));
    expect(reply.headers?.get("Content-Type")).toBe("application/json");
    expect(reply.json()).toMatchObject({ type: "memory/store/resp", stored: [{ name: "a" }] });
    const error = await connection.request("a2e.default.alice.memory.store.req", "{");
    expect(error.headers?.get("Nats-Service-Error-Code")).toBe("400");
    expect(error.json()).toMatchObject({ type: "error", code: "parse_error", req_id: null });
  });
});

async function all<T>(answers: Promise<AsyncIterable<T>>): Promise<T[]> {
  const list: T[] = [];
  for await (const answer of await answers) list.push(answer);
  return list;
}
