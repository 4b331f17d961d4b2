import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lineOf } from "../../cli/test/run-cli.js";
import { RunningHost } from "../../cli/test/running-host.js";
import { A2eClient } from "./a2e-client.js";
import { parseMetrics } from "./parse-metrics.js";

const STREAMS = 10_000;
const RSS_MIB_MAX = 400;
/** Below the number of sessions without a handshake that one address may have. */
const AT_ONCE = 50;
/** The gateway keeps delivered replies for ten seconds, and Node.js returns their memory some time later. */
const SETTLED_WITHIN_MS = 120_000;
const HANDSHAKE = JSON.stringify({ type: "handshake/req", id: "h", agent_id: "alice" });

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
      const sockets: Socket[] = [];
      for (let opened = 0; opened < STREAMS; opened += AT_ONCE) {
        sockets.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => openStream(url, port)))));
      }
      const rssMib = () => residentKib(gateway.pid!) / 1024;
      await expect.poll(rssMib, { timeout: SETTLED_WITHIN_MS, interval: 1_000 }).toBeLessThan(RSS_MIB_MAX);
      process.stderr.write(`${STREAMS} idle streams: ${Math.round(rssMib())} MiB\n`);
      const metrics = parseMetrics(await (await fetch(`${url}/metrics`)).text());
      expect(metrics.get("membus_gateway_streams")).toBe(STREAMS);
      for (const socket of sockets) socket.destroy();
      gateway.kill("SIGTERM");
    },
  );
});

function residentKib(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);
}

/** Opens a stream with as little memory on the client side as possible, and resolves after its handshake. */
async function openStream(url: string, port: number): Promise<Socket> {
  const client = await A2eClient.create(url);
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.write(`GET /stream HTTP/1.1\r\nhost: localhost\r\nx-session-id: ${client.id}\r\n\r\n`);
  const answered = new Promise<void>((resolve, reject) => {
    let text = "";
    socket.once("close", () => reject(new Error(`the stream has ended: ${text}`)));
    socket.on("data", (data) => {
      text += data;
      if (text.includes('"handshake/resp"')) resolve();
    });
  });
  expect((await client.post(url, HANDSHAKE)).status).toBe(200);
  await answered;
  return socket;
}
