import { connect } from "node:net";
import type { Clock } from "@membus/protocol";

export interface ServerInfo {
  readonly version: string;
}

/** Returns the INFO message that a NATS server sends on connect, or undefined after `timeoutMs`. */
export function readServerInfo(
  port: number,
  timeoutMs: number,
  clock: Clock,
): Promise<ServerInfo | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    let received = "";
    const finish = (info: ServerInfo | undefined) => {
      cancelTimeout();
      socket.destroy();
      resolve(info);
    };
    const cancelTimeout = clock.after(timeoutMs, () => finish(undefined));
    socket.setEncoding("utf8").on("data", (chunk) => {
      received += chunk;
      if (received.includes("\r\n")) finish(parseInfo(received));
    });
    socket.on("error", () => finish(undefined));
    socket.on("close", () => finish(undefined));
  });
}

function parseInfo(line: string): ServerInfo | undefined {
  const json = /^INFO (\{.*\})/.exec(line)?.[1];
  try {
    const info = json === undefined ? undefined : (JSON.parse(json) as Partial<ServerInfo>);
    return typeof info?.version === "string" ? { version: info.version } : undefined;
  } catch {
    return undefined;
  }
}
