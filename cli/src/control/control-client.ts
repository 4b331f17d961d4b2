import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { hasListener, withSocketAddress } from "@membus/disk";
import { type Json, MemoryError } from "@membus/protocol";
import { type ControlRequest, controlPath, resultOf } from "./control-messages.js";

/**
 * Sends a request to the host that serves a data folder, and calls `use` with the result. The host keeps its
 * temporary files until `use` has ended. Returns undefined if no host responds.
 * @throws {MemoryError} the error of the host, or `unavailable` if the host stops before it replies.
 */
export async function sendToHost<T>(
  data: string,
  request: ControlRequest,
  use: (result: Json) => Promise<T>,
): Promise<{ readonly used: T } | undefined> {
  const path = controlPath(data);
  if (!(await hasListener(path))) return undefined;
  const socket = await withSocketAddress(path, async (address) => {
    const connection = createConnection(address);
    await once(connection, "connect");
    return connection;
  });
  try {
    socket.on("error", () => undefined).write(`${JSON.stringify(request)}\n`);
    return { used: await use(await readReply(socket)) };
  } finally {
    socket.destroy();
  }
}

async function readReply(socket: Socket): Promise<Json> {
  for await (const line of createInterface({ input: socket })) {
    return resultOf(line);
  }
  throw new MemoryError("unavailable", "the host stopped before it replied: check its log, then retry");
}
