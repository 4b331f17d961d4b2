import { writeFile } from "node:fs/promises";
import { nkeys } from "@nats-io/transport-node";
import { afterEach, describe, expect, it } from "vitest";
import { connectNatsBus, type NatsBusOptions, serverAddress } from "../src/index.js";
import { rejection } from "./expect-error.js";
import { NatsFixture } from "./nats-fixture.js";
import { NATS_SERVERS } from "./nats-server.js";
import { operatorMode } from "./operator-mode.js";

const fixture = new NatsFixture();
afterEach(() => fixture.close());

const user = nkeys.createUser();
const seed = new TextDecoder().decode(user.getSeed());

describe.each(NATS_SERVERS)("connecting to %s", (binary) => {
  it("accepts user and password, also in the URL", async () => {
    const { port, url } = await fixture.launchConfigured(
      binary,
      `authorization { user: bob, password: "p@ss" }`,
    );
    await (await fixture.connect({ servers: url, user: "bob", pass: "p@ss" })).bus.flush();
    await (await fixture.connect({ servers: `nats://bob:p%40ss@127.0.0.1:${port}` })).bus.flush();
    const error = await rejection(fixture.connect({ servers: url, user: "bob", pass: "no" }), "unauthorized");
    expect(error.detail).toEqual({ servers: url });
  });

  it("accepts a token, also in the URL", async () => {
    const { port, url } = await fixture.launchConfigured(binary, "authorization { token: t0ken }");
    await (await fixture.connect({ servers: url, token: "t0ken" })).bus.flush();
    await (await fixture.connect({ servers: `t0ken@127.0.0.1:${port}` })).bus.flush();
    await rejection(fixture.connect({ servers: url }), "unauthorized");
  });

  it("accepts an nkey", async () => {
    const { url } = await fixture.launchConfigured(
      binary,
      `authorization { users: [{ nkey: ${user.getPublicKey()} }] }`,
    );
    await (await fixture.connect({ servers: url, nkeySeed: seed })).bus.flush();
  });

  it("accepts the content of a credentials file", async () => {
    const { config, creds } = operatorMode();
    const { url } = await fixture.launchConfigured(binary, config);
    await (await fixture.connect({ servers: url, creds })).bus.flush();
    await rejection(fixture.connect({ servers: url, creds: operatorMode().creds }), "unauthorized");
  });
});

it.each(NATS_SERVERS)("needs neither a logger nor a clock: %s", async (binary) => {
  const { url } = await fixture.launch({ binary });
  const bus = await connectNatsBus({ servers: url });
  fixture.onClose(() => bus.close());
  bus.subscribe("echo", ({ reply, payload }) => {
    bus.publish(reply!, payload);
    throw new Error("error of a callback that is not logged");
  });
  const { payload } = await bus.request("echo", Uint8Array.of(7), { timeoutMs: 10_000 });
  expect([...payload]).toEqual([7]);
});

describe.each(NATS_SERVERS)("limits of %s", (binary) => {
  it("applies a lowered max_payload after a reconnect", async () => {
    const configFile = await fixture.file("nats.conf", "max_payload: 4096\n");
    const { pid, url } = await fixture.launch({ binary, configFile });
    const { bus } = await fixture.connect({ servers: url });
    expect(bus.maxPayloadBytes).toBe(4096);
    await writeFile(configFile, "max_payload: 2048\n");
    process.kill(pid, "SIGHUP");
    const limit = async () => (await fixture.connect({ servers: url })).bus.maxPayloadBytes;
    await expect.poll(limit, { interval: 100 }).toBe(2048);
    const request = () => bus.request("a", new Uint8Array(3000), { timeoutMs: 10_000 });
    // The server applies the limit to open connections shortly after it applies it to new ones.
    const reason = async () => (await rejection(request(), "unavailable")).detail;
    await expect.poll(reason, { interval: 100 }).toEqual({ reason: "disconnected" });
    const error = await rejection(request(), "too_large");
    expect(error.detail).toEqual({ limit: "messageBytes", max: 2048, got: 3000 });
  });
});

it("shows the addresses of a list without credentials", () => {
  const servers = "nats://bob:a%2Cb@127.0.0.1:1,127.0.0.1:2";
  expect(serverAddress(servers)).toBe("nats://127.0.0.1:1,nats://127.0.0.1:2");
});

describe("connecting", () => {
  it.each([
    [["nats://bob:secret@127.0.0.1:1", "127.0.0.1:2"]],
    ["nats://bob:secret@127.0.0.1:1,127.0.0.1:2"],
  ])("reports the unreachable servers %j without credentials", async (servers) => {
    const error = await rejection(fixture.connect({ servers }), "unavailable");
    const named = "nats://127.0.0.1:1, nats://127.0.0.1:2";
    expect(error.message).toBe(`cannot connect to NATS at ${named}: connection refused`);
    expect(error.detail).toEqual({ reason: "connect", servers: named });
    expect(error.cause).toMatchObject({ name: "ConnectionError" });
  });

  it.each<[RegExp, NatsBusOptions]>([
    [/did you mean `servers`/, { server: "x" } as NatsBusOptions],
    [/servers must be one or more/, { servers: [] }],
    [/nats:\/\/host:port/, { servers: "ws://127.0.0.1:1" }],
    [/nats:\/\/host:port/, { servers: "nats://bob:secret@:x" }],
    [/nats:\/\/host:port/, { servers: "nats://127.0.0.1:1," }],
    [/user and token exclude each other/, { user: "a", token: "b" }],
    [/pass requires user/, { pass: "a" }],
    [/invalid creds/, { creds: "nonsense" }],
    [/invalid nkeySeed/, { nkeySeed: "SUNONSENSE" }],
    [/must be set together/, { tls: { certFile: "a.pem" } }],
    [/inboxPrefix must be tokens/, { inboxPrefix: "a..b" }],
    [/connectTimeoutMs must be an integer/, { connectTimeoutMs: 0 }],
  ])("rejects invalid options with a TypeError: %s", async (message, options) => {
    const error: unknown = await fixture.connect(options).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain("secret");
  });
});
