import { connect, type Socket } from "node:net";
import { parseMetrics } from "./parse-metrics.js";

export type Headers = Readonly<Record<string, string>>;

export const JSON_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

export async function figuresOf(url: string): Promise<Map<string, number>> {
  return parseMetrics(await (await fetch(`${url}/metrics`)).text());
}

export const LISTEN = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "subscriptions/listen" },
  params: {
    notifications: { resourcesListChanged: true },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
});
export const LISTEN_HEADERS = { "mcp-method": "subscriptions/listen", "mcp-protocol-version": "2026-07-28" };

/** A request as bytes. */
export function postOf(body: string, headers: Headers = {}): string {
  const fields = { host: "localhost", ...JSON_HEADERS, ...headers, "content-length": `${body.length}` };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

export function socketTo(url: string): Socket {
  return connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
}

export function callOf(id: number, name: string, args: object): object {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}
