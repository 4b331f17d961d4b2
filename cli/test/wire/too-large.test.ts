import { MemoryClient } from "@membus/agent-client";
import { createLocalBus } from "@membus/bus";
import { decodeMessage, encodeMessage, systemClock } from "@membus/protocol";
import { afterAll, describe, expect, it } from "vitest";
import { rejection } from "../../../bus/test/expect-error.js";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { RecordingLogger } from "../../../bus/test/recording-logger.js";
import { startComposedHost } from "./composed-host.js";
import { Wire } from "./wire-fixture.js";

const TWO_MEGABYTES = "x".repeat(2_000_000);
const REFUSED = { code: "too_large", detail: { limit: "entryBytes", max: 262_144 } };

describe.each(NATS_SERVERS)("2 MB over %s", (binary) => {
  it("are rejected by the client, which sends nothing", async () => {
    const wire = await Wire.start({ binary });
    try {
      const client = await wire.client("alice");
      const { stored, errors } = await client.store({ key: "a", content: TWO_MEGABYTES }, { partial: true });
      expect(stored).toEqual([]);
      expect(errors).toMatchObject([{ index: 0, key: "a", ...REFUSED }]);
      await rejection(client.retrieve({ query: TWO_MEGABYTES }), "too_large");
      expect(wire.host.stats().requests).toEqual({});
    } finally {
      await wire.close();
    }
  });
});

describe("2 MB in process", () => {
  const logger = new RecordingLogger();
  const bus = createLocalBus({ maxPayloadBytes: 8_000_000 }, { logger, clock: systemClock });
  const starting = startComposedHost(bus, logger);
  afterAll(async () => {
    await (await starting).remove();
    await bus.close();
    expect(logger.messages("error")).toEqual([]);
  });

  it("are rejected by the host, entry by entry", async () => {
    await starting;
    const entries = [
      { key: "a", content: TWO_MEGABYTES },
      { key: "b", content: "small" },
    ];
    const payload = encodeMessage({ type: "memory/store/req", id: "large", entries }, "json");
    const reply = await bus.request("a2e.default.alice.memory.store.req", payload, { timeoutMs: 20_000 });
    expect(decodeMessage(reply.payload)).toMatchObject({
      message: { req_id: "large", stored: [{ name: "b" }], errors: [{ index: 0, ...REFUSED }] },
    });
  });

  it("are rejected by the client before it sends", async () => {
    const { host } = await starting;
    const before = host.stats().requests["memory/store/req"]?.count;
    const client = await MemoryClient.connect({ bus, agent: "alice" });
    const { errors } = await client.store({ key: "a", content: TWO_MEGABYTES }, { partial: true });
    expect(errors).toMatchObject([{ index: 0, ...REFUSED }]);
    expect(host.stats().requests["memory/store/req"]?.count).toBe(before);
    await client.close();
  });
});
