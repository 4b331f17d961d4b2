import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lineOf } from "../../cli/test/run-cli.js";
import { RunningHost } from "../../cli/test/running-host.js";
import { A2eClient } from "./a2e-client.js";

const STREAMS = 10_000;
const RSS_MIB_MAX = 400;
const AT_ONCE = 100;

const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

describe("a gateway", () => {
  it.skipIf(process.platform !== "linux")(
    `keeps ${STREAMS} idle streams open in less than ${RSS_MIB_MAX} MiB (read from /proc)`,
    async () => {
      const gateway = host.spawn(["gateway", "--listen", "127.0.0.1:0"]);
      const url = (await lineOf(gateway, /^membus gateway is listening on/)).split(" ").at(-1)!;
      const port = Number(new URL(url).port);
      const sockets = [];
      for (let opened = 0; opened < STREAMS; opened += AT_ONCE) {
        sockets.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => openStream(url, port)))));
      }
      const client = await A2eClient.create(url);
      await client.openStream(url);
      expect(await client.handshake(url)).toMatchObject({ ok: true });
      const kib = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))![1]);
      process.stderr.write(`${STREAMS} idle streams: ${Math.round(kib / 1024)} MiB\n`);
      expect(kib / 1024).toBeLessThan(RSS_MIB_MAX);
      expect(sockets.every((socket) => !socket.closed)).toBe(true);
      for (const socket of sockets) socket.destroy();
      client.breakStream();
      gateway.kill("SIGTERM");
    },
  );
});

/** Opens a stream with as little memory on the client side as possible. */
async function openStream(url: string, port: number) {
  const { id } = await A2eClient.create(url);
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET /stream HTTP/1.1\r\nhost: localhost\r\nx-session-id: ${id}\r\n\r\n`);
  await new Promise((resolve) => socket.once("data", resolve));
  return socket.on("error", () => {});
}
