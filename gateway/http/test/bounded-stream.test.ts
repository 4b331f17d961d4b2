import { once } from "node:events";
import { afterEach, beforeEach, expect, it } from "vitest";
import { BoundedStream, copyBody, type HttpContext } from "../src/index.js";
import { HttpFixture, textOf } from "./http-fixture.js";

let fixture: HttpFixture;
let answer: (c: HttpContext) => Promise<Response> | Response;
beforeEach(async () => {
  fixture = new HttpFixture();
  await fixture.start((app) => app.get("/", (c) => answer(c)));
});
afterEach(() => fixture.stop());

function bytesOf(count: number): ReadableStream<Uint8Array> {
  let left = count;
  return new ReadableStream({
    pull: (controller) => {
      if (left-- > 0) controller.enqueue(new Uint8Array(0x10000).fill(0x78));
      else controller.close();
    },
  });
}

/** Answers with a copy of `source`. Resolves with the result of the copy. */
function copied(source: (c: HttpContext) => ReadableStream<Uint8Array>, bytesMax: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    answer = (c) => {
      const stream = new BoundedStream(c, bytesMax);
      copyBody(source(c), stream).then(resolve, reject);
      return new Response(stream.readable, { status: 203 });
    };
  });
}

it("disconnects a client for which too many bytes wait", async () => {
  const isRead = copied(() => bytesOf(4_000), 0x100000);
  const socket = fixture.get().pause();
  expect(await isRead).toBe(false);
  socket.resume();
  await once(socket, "close");
});

it("cuts the response if the source fails", async () => {
  const broken = () =>
    new ReadableStream<Uint8Array>({ start: (controller) => controller.error(new Error("broken")) });
  const failed = copied(broken, 1).catch((error: unknown) => error);
  const received = await textOf(fixture.get()).catch(() => "");
  expect(await failed).toEqual(new Error("broken"));
  expect(received).not.toMatch(/\r\n0\r\n\r\n$/);
});

it("ignores a failure of the source after the client has left", async () => {
  const isRead = copied(
    (c) =>
      new ReadableStream({
        start: (controller) => {
          c.env.outgoing.once("close", () => controller.error(new Error("the client left")));
        },
      }),
    1,
  );
  const socket = fixture.get();
  await once(socket, "data");
  socket.destroy();
  expect(await isRead).toBe(true);
});

it("cancels the source if the client has left before the response", async () => {
  let isCancelled = false;
  let isReceived = false;
  const isRead = new Promise<boolean>((resolve, reject) => {
    answer = async (c) => {
      isReceived = true;
      await c.get("openRequest").closed;
      expect(c.req.raw.signal.aborted).toBe(true);
      const stream = new BoundedStream(c, 1);
      const cancel = () => {
        isCancelled = true;
      };
      copyBody(new ReadableStream({ cancel }), stream).then(resolve, reject);
      return new Response(stream.readable);
    };
  });
  const socket = fixture.get();
  await expect.poll(() => isReceived).toBe(true);
  socket.destroy();
  expect(await isRead).toBe(true);
  expect(isCancelled).toBe(true);
});

it("sends a single piece, however long it is", async () => {
  const text = "x".repeat(0x400000);
  const isRead = copied(() => new Response(text).body!, 0x10000);
  const received = await textOf(fixture.get());
  expect(await isRead).toBe(true);
  expect(received.slice(0, 12)).toBe("HTTP/1.1 203");
  expect(received.length).toBeGreaterThan(text.length);
});
