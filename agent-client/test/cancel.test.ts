import { MemoryError } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { rejection } from "../../bus/test/expect-error.js";
import { turn } from "../../host/test/fake-clock.js";
import { openFixture } from "./client-fixture.js";
import { storeAll } from "./scripted-host.js";

const ENTRY = { key: "a", content: 1 };
const unavailable = () => new MemoryError("unavailable", "down");

async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await turn();
}

describe("a signal", () => {
  it("does not send a request if the signal is already aborted", async () => {
    const { client, host } = await openFixture();
    const reason = new Error("aborted");
    await expect(client.store(ENTRY, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await settle();
    expect(host.requests).toEqual([]);
  });

  it("stops waiting for a reply", async () => {
    const { client, host, clock } = await openFixture({ answer: () => undefined });
    const controller = new AbortController();
    const storing = client.store(ENTRY, { signal: controller.signal });
    await settle();
    controller.abort();
    await expect(storing).rejects.toMatchObject({ name: "AbortError" });
    await clock.advance(60_000);
    expect(host.requests).toHaveLength(1);
  });

  it("stops the pause before a retry", async () => {
    const { client, host, clock } = await openFixture({ answer: unavailable });
    const controller = new AbortController();
    const listing = client.retrieve({ query: "a" }, { signal: controller.signal });
    await settle();
    const reason = new Error("aborted");
    controller.abort(reason);
    await expect(listing).rejects.toBe(reason);
    await clock.advance(60_000);
    expect(host.requests).toHaveLength(1);
  });

  it("has no effect after the reply, or if it is never aborted", async () => {
    const { client } = await openFixture();
    const controller = new AbortController();
    const { stored } = await client.store(ENTRY, { signal: controller.signal });
    controller.abort();
    expect(stored).toEqual(["a"]);
  });
});

describe("close", () => {
  it("waits for requests in flight", async () => {
    const { client, host, bus } = await openFixture({ answer: () => undefined });
    const storing = client.store(ENTRY);
    await settle();
    let closed = false;
    const closing = client.close().then(() => {
      closed = true;
    });
    await settle();
    expect(closed).toBe(false);
    host.answer = storeAll;
    host.answerLast();
    expect((await storing).stored).toEqual(["a"]);
    await closing;
    expect(bus.state).toBe("connected");
  });

  it("does not retry", async () => {
    const { client, host, clock } = await openFixture({ answer: () => undefined });
    const failed = rejection(client.store(ENTRY), "timeout");
    await settle();
    const closing = client.close();
    await clock.advance(5_000);
    await failed;
    await closing;
    expect(host.requests).toHaveLength(1);
  });

  it("ends a pause with the error that caused it", async () => {
    const { client } = await openFixture({ answer: unavailable });
    const failed = rejection(client.store(ENTRY), "unavailable");
    await settle();
    await client.close();
    expect((await failed).message).toBe("down");
  });

  it("rejects later calls, also on views, and can be called again", async () => {
    const { client, host } = await openFixture();
    const view = client.forSession("s");
    await client.close();
    await client.close();
    const calls = [
      () => client.store(ENTRY),
      () => client.retrieve(),
      () => view.recall("a"),
      () => client.ping(),
      () => client.watch({}, () => {}),
    ];
    for (const call of calls) {
      const error = await rejection(call(), "unavailable");
      expect(error).toMatchObject({ message: "the client is closed", detail: { reason: "closed" } });
    }
    expect(host.requests).toEqual([]);
  });

  it("ends retries when the bus is closed", async () => {
    const { client, bus, clock } = await openFixture({ answer: unavailable });
    const failed = rejection(client.store(ENTRY), "unavailable");
    await settle();
    await bus.close();
    await clock.advance(100);
    expect((await failed).detail).toEqual({ reason: "closed" });
  });
});
