import { afterEach, describe, expect, it } from "vitest";
import { rejection } from "./expect-error.js";
import { NatsFixture } from "./nats-fixture.js";
import { NATS_SERVERS } from "./nats-server.js";

const NOTHING = new Uint8Array();
const CONFIG = `
authorization { users: [
  { user: alice, password: a, permissions: {
    publish: [ "free.>", "_INBOX_alice.>" ], subscribe: [ "free.>", "_INBOX_alice.>" ] } }
] }`;

const fixture = new NatsFixture();
afterEach(() => fixture.close());

async function alice(binary: string, inboxPrefix = "_INBOX_alice") {
  const { url } = await fixture.launchConfigured(binary, CONFIG);
  return fixture.connect({ servers: url, user: "alice", pass: "a", inboxPrefix });
}

describe.each(NATS_SERVERS)("permissions of %s", (binary) => {
  it("fails only a request to a forbidden subject", async () => {
    const { bus, logger } = await alice(binary);
    bus.subscribe("free.echo", ({ reply, payload }) => bus.publish(reply!, payload));
    const forbidden = bus.request("secret", NOTHING, { timeoutMs: 600_000 });
    const allowed = bus.request("free.echo", Uint8Array.of(1), { timeoutMs: 10_000 });
    const error = await rejection(forbidden, "unauthorized");
    expect(error.cause).toMatchObject({ name: "PermissionViolationError", subject: "secret" });
    expect([...(await allowed).payload]).toEqual([1]);
    expect(logger.lines).toEqual([]);
  });

  it("fails a request to a subject that a mapping of the server makes forbidden", async () => {
    const { url } = await fixture.launchConfigured(
      binary,
      `${CONFIG}\nmappings { "free.far": "shard.3.free.far" }`,
    );
    const user = { user: "alice", pass: "a", inboxPrefix: "_INBOX_alice" };
    const { bus } = await fixture.connect({ servers: url, ...user });
    const error = await rejection(bus.request("free.far", NOTHING, { timeoutMs: 600_000 }), "unauthorized");
    expect(error.cause).toMatchObject({ subject: "shard.3.free.far" });
  });

  it("fails every request with a forbidden inbox", async () => {
    const { bus } = await alice(binary, "_INBOX");
    bus.subscribe("free.echo", () => {});
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = await rejection(
        bus.request("free.echo", NOTHING, { timeoutMs: 600_000 }),
        "unauthorized",
      );
      expect(error.cause).toMatchObject({ name: "PermissionViolationError", operation: "subscription" });
    }
  });

  it("logs a refused subscription and fails the next flush, without affecting other subscriptions", async () => {
    const { bus, logger } = await alice(binary);
    const arrived: string[] = [];
    const refused = bus.subscribe("secret.*", () => {}, { queue: "g" });
    bus.subscribe("free.a", ({ subject }) => void arrived.push(subject));
    const error = await rejection(bus.flush(), "unauthorized");
    expect(error.cause).toMatchObject({ subject: "secret.*", queue: "g" });
    bus.publish("free.a", NOTHING);
    await bus.flush();
    expect(arrived).toEqual(["free.a"]);
    expect(logger.messages("error")).toEqual(["NATS server refused a subscription"]);
    await refused.drain();
  });

  it("logs a refused publish", async () => {
    const { bus, logger } = await alice(binary);
    bus.publish("secret", NOTHING);
    await bus.flush();
    expect(logger.lines).toMatchObject([
      { level: "error", message: "NATS server reported an error", fields: { err: { subject: "secret" } } },
    ]);
  });
});
