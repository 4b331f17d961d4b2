import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { type Direction, FaultyLink } from "./faulty-link.js";

/** A server that answers each text with OK, and a link to it. The events are texts at the server and at clients. */
async function openLink() {
  const events: string[] = [];
  const server = createServer((socket) => {
    socket.on("data", (chunk) => {
      events.push(`got ${chunk}`);
      socket.write(`OK ${chunk}`);
    });
    socket.on("error", () => undefined);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const link = await FaultyLink.open(`nats://127.0.0.1:${port}`);
  onTestFinished(async () => {
    await link.close();
    server.close();
  });
  const connect = async (to: number): Promise<Socket> => {
    const socket = createConnection(to, "127.0.0.1");
    await once(socket, "connect");
    socket.on("data", (chunk) => events.push(String(chunk)));
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  return { link, events, direct: () => connect(port), linked: () => connect(Number(new URL(link.url).port)) };
}

it.each<[Direction[], string[]]>([
  [["requests"], ["got b", "OK b", "got a", "OK a"]],
  [["answers"], ["got a", "got b", "OK b", "OK a"]],
  [
    ["requests", "answers"],
    ["got b", "OK b", "got a", "OK a"],
  ],
])("bytes of %s that are held back are delivered later", async (directions, expected) => {
  const { link, events, direct, linked } = await openLink();
  const socket = await linked();
  link.hold(...directions);
  socket.write("a");
  (await direct()).write("b");
  await expect.poll(() => events).toContain("OK b");
  link.release();
  await expect.poll(() => events).toEqual(expected);
});

it("a request that is held back is delivered after its sender has ended", async () => {
  const { link, events, direct, linked } = await openLink();
  const socket = await linked();
  link.hold("requests", "answers");
  socket.write("a");
  socket.destroySoon();
  await once(socket, "close");
  (await direct()).write("b");
  await expect.poll(() => events).toContain("OK b");
  link.release();
  await expect.poll(() => events).toEqual(["got b", "OK b", "got a"]);
});

it("repair ends the connections and loses the bytes that were held back", async () => {
  const { link, events, linked } = await openLink();
  const socket = await linked();
  const ended = once(socket, "close").catch((error: NodeJS.ErrnoException) => error.code);
  link.hold("requests");
  socket.write("a");
  link.repair();
  expect(await ended).toBeDefined();
  (await linked()).write("b");
  await expect.poll(() => events).toEqual(["got b", "OK b"]);
});
