import type { NatsServer } from "@membus/nats-server";
import { systemClock } from "@membus/protocol";
import { connect } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { natsBusFromConnection } from "../src/index.js";
import { type BusSettings, describeBusContract } from "./bus-contract.js";
import { NatsFixture, serverTitle } from "./nats-fixture.js";
import { NATS_SERVERS } from "./nats-server.js";
import { RecordingLogger } from "./recording-logger.js";

const servers = new NatsFixture();
const connections = new NatsFixture();
afterEach(() => connections.close());
afterAll(() => servers.close());

async function existingConnection(url: string, { inboxPrefix, ...settings }: BusSettings = {}) {
  const logger = new RecordingLogger();
  const inbox = inboxPrefix === undefined ? {} : { inboxPrefix };
  const connection = await connect({ servers: url, ...inbox });
  connections.onClose(() => connection.close());
  const bus = natsBusFromConnection(connection, { ...inbox, ...settings }, { logger, clock: systemClock });
  connections.onClose(() => bus.close());
  return { bus, logger, connection };
}

describe.each(NATS_SERVERS)("%s", (binary) => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await servers.launch({ binary });
  });

  describeBusContract(serverTitle(binary), (settings) =>
    connections.connect({ servers: server.url, ...settings }),
  );

  describeBusContract("existing connection", (settings) => existingConnection(server.url, settings));

  it("leaves an existing connection open, without its own subscriptions", async () => {
    const { bus, connection } = await existingConnection(server.url);
    bus.subscribe("a", () => {});
    await bus.request("a", new Uint8Array(), { timeoutMs: 20 }).catch(() => {});
    await bus.close();
    expect(connection.isClosed()).toBe(false);
    await expect(connection.request("a", "", { timeout: 1_000 })).rejects.toThrow(/no responders/);
  });

  it("is closed when its connection is closed", async () => {
    const { bus, connection } = await existingConnection(server.url);
    const closed = new Promise((resolve) => bus.onState(resolve));
    await connection.close();
    expect(await closed).toBe("closed");
  });
});
