import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { signalOf, writeAnswer } from "../src/mcp/web-exchange.js";

let server: Server;
let answer: (response: ServerResponse) => void;
beforeEach(async () => {
  server = createServer((_, response) => answer(response)).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function ask() {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  return socket;
}

function bytesOf(count: number): ReadableStream<Uint8Array> {
  let left = count;
  return new ReadableStream({
    pull: (controller) => {
      if (left-- > 0) controller.enqueue(new Uint8Array(0x10000).fill(0x78));
      else controller.close();
    },
  });
}

it("cuts off a reader for whom too much waits", async () => {
  const written = new Promise<boolean>((resolve) => {
    answer = (response) => resolve(writeAnswer(new Response(bytesOf(4_000)), response, 0x100000));
  });
  const socket = ask().pause();
  expect(await written).toBe(false);
  socket.resume();
  await once(socket, "close");
});

it("is cut off where the answer fails, unless its reader has gone before", async () => {
  const broken = () => new ReadableStream({ start: (controller) => controller.error(new Error("broken")) });
  const failed = new Promise((resolve) => {
    answer = (response) => writeAnswer(new Response(broken()), response, 1).catch(resolve);
  });
  let came = "";
  for await (const chunk of ask().setEncoding("latin1")) came += chunk;
  expect(await failed).toEqual(new Error("broken"));
  expect(came).not.toMatch(/\r\n0\r\n\r\n$/);
  const written = new Promise<boolean>((resolve) => {
    answer = (response) => {
      const late = new ReadableStream({
        start: (controller) => {
          response.once("close", () => controller.error(new Error("gone")));
        },
      });
      resolve(writeAnswer(new Response(late), response, 1));
    };
  });
  const gone = ask();
  await once(gone, "data");
  gone.destroy();
  expect(await written).toBe(true);
});

it("is ended where its reader has gone before there is one", async () => {
  const answered = new Promise<ServerResponse>((resolve) => {
    answer = resolve;
  });
  const socket = ask();
  const response = await answered;
  socket.destroy();
  await once(response, "close");
  expect(signalOf(response).aborted).toBe(true);
  let isEnded = false;
  const cancel = () => {
    isEnded = true;
  };
  expect(await writeAnswer(new Response(new ReadableStream({ cancel })), response, 1)).toBe(true);
  expect(isEnded).toBe(true);
});

it("passes on a single piece, however long it is", async () => {
  const text = "x".repeat(0x400000);
  const written = new Promise<boolean>((resolve) => {
    answer = (response) => resolve(writeAnswer(new Response(text, { status: 203 }), response, 0x10000));
  });
  const socket = ask().setEncoding("latin1");
  let came = "";
  for await (const chunk of socket) came += chunk;
  expect(await written).toBe(true);
  expect(came.slice(0, 12)).toBe("HTTP/1.1 203");
  expect(came.length).toBeGreaterThan(text.length);
});
