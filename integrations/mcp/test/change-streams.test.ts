import { once } from "node:events";
import { systemClock } from "@membus/protocol";
import { McpServer } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HttpFixture } from "../../../gateway/http/test/http-fixture.js";
import { JSON_HEADERS, LISTEN, LISTEN_HEADERS, postOf, socketTo } from "../../../gateway/test/raw-mcp.js";
import type { ChangeListener } from "../src/change-notices.js";
import { ChangeStreams } from "../src/program/change-streams.js";

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const LIMITS = { streamsMax: 2, streamBytesMax: 0x10000 };

let fixture: HttpFixture;
let streams: ChangeStreams;
let listeners: Set<ChangeListener>;
/** Servers of streams wait for it. */
let opened: Promise<void>;

beforeEach(async () => {
  listeners = new Set();
  opened = Promise.resolve();
  const listen = (listener: ChangeListener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const factory = async () => {
    await opened;
    const capabilities = { resources: { listChanged: true } };
    return new McpServer({ name: "test", version: "1" }, { capabilities });
  };
  const onerror = () => {};
  streams = new ChangeStreams({ factory, notices: { listen }, clock: systemClock, onerror }, LIMITS);
  fixture = new HttpFixture();
  await fixture.start((app) => app.post("/mcp", (c) => streams.answer(c, undefined)));
});
afterEach(() => fixture.stop());

function openStream(): Promise<Response> {
  const headers = { ...JSON_HEADERS, ...LISTEN_HEADERS };
  return fetch(`${fixture.url}/mcp`, { method: "POST", headers, body: LISTEN });
}

it("answers 503 beyond the limit of streams, until a client leaves", async () => {
  const [first, second] = [await openStream(), await openStream()];
  const refused = await openStream();
  expect([refused.status, await refused.json()]).toEqual([503, { error: "the server has too many streams" }]);
  await first.body!.cancel();
  await expect.poll(() => listeners.size).toBe(1);
  expect((await openStream()).status).toBe(200);
  // A client that nothing refers to is collected, and its stream ends.
  await second.body!.cancel();
});

it("ends open streams when it closes, and answers 503 afterwards", async () => {
  const stream = await openStream();
  await streams.close();
  expect(await stream.text()).toMatch(new RegExp(`${ACKNOWLEDGED}[\\s\\S]*"resultType":"complete"`));
  const refused = await openStream();
  expect([refused.status, await refused.json()]).toEqual([503, { error: "the server shuts down" }]);
  await fixture.tracker.idle();
});

it("ends a stream that was being opened when it closed", async () => {
  let open = () => {};
  opened = new Promise((resolve) => {
    open = resolve;
  });
  const answer = openStream();
  await expect.poll(() => listeners.size).toBe(1);
  await streams.close();
  open();
  // Without an end of the stream this waits until the test times out.
  expect(await (await answer).text()).toContain('"resultType":"complete"');
  await fixture.tracker.idle();
});

it("sends changes, and disconnects a client that stops reading", async () => {
  const socket = socketTo(fixture.url).setEncoding("utf8");
  let received = "";
  socket.on("data", (text) => {
    received += text;
  });
  socket.write(postOf(LISTEN, LISTEN_HEADERS));
  await expect.poll(() => received).toContain(ACKNOWLEDGED);
  const [listener] = listeners;
  listener!.resourcesChanged();
  await expect.poll(() => received).toContain("notifications/resources/list_changed");
  socket.pause();
  const closed = once(socket, "close");
  // More than the kernel buffers, in pieces below the limit.
  for (let pieces = 0; pieces < 2_000 && listeners.size > 0; pieces++) {
    for (let n = 0; n < 100; n++) listener!.resourcesChanged();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => listeners.size).toBe(0);
  socket.resume();
  await closed;
  await fixture.tracker.idle();
});
