import { once } from "node:events";
import { createConnection } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { NatsFixture } from "./nats-fixture.js";
import { NATS_SERVERS } from "./nats-server.js";

const NOTHING = new Uint8Array();
const MALFORMED = "NATS/1.0\r\nbad name: 1\r\n\r\n";

const fixture = new NatsFixture();
afterEach(() => fixture.close());

/** Writes a message that no NATS client would send. */
async function publishMalformed(port: number, subject: string): Promise<void> {
  const socket = createConnection(port, "127.0.0.1");
  await once(socket, "data");
  const size = MALFORMED.length;
  socket.write(
    `CONNECT {"headers":true,"verbose":false}\r\nHPUB ${subject} ${size} ${size}\r\n${MALFORMED}\r\nPING\r\n`,
  );
  await once(socket, "data");
  socket.destroy();
}

describe.each(NATS_SERVERS)("malformed headers through %s", (binary) => {
  it("are ignored in a subscription, and in a request they are a normal reply", async () => {
    const { port, url } = await fixture.launch({ binary });
    const { bus, logger } = await fixture.connect({ servers: url });
    bus.subscribe("answered.badly", ({ reply }) => publishMalformed(port, reply!));
    const answer = await bus.request("answered.badly", NOTHING, { timeoutMs: 20_000 });
    expect(answer.headers).toEqual({});
    const again = await bus.request("answered.badly", NOTHING, { timeoutMs: 20_000 });
    expect(again.payload.length).toBe(0);
    expect(logger.lines).toEqual([]);
  });
});
