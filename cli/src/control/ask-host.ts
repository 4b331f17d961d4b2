import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { answers, withSocketAddress } from "@membus/disk";
import { type Json, MemoryError } from "@membus/protocol";
import { type ControlReply, type ControlRequest, controlPath } from "./control-messages.js";

/**
 * Asks the host that serves a data folder. `use` gets the result; the host keeps what it has made for that until `use` has
 * ended. Undefined where no host answers.
 * @throws {MemoryError} what the host says, or `unavailable` where it ends before it has.
 */
export async function askHost<T>(
  data: string,
  request: ControlRequest,
  use: (result: Json) => Promise<T>,
): Promise<{ readonly used: T } | undefined> {
  const path = controlPath(data);
  if (!(await answers(path))) return undefined;
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
    const { result = null, error } = JSON.parse(line) as ControlReply;
    if (error === undefined) return result;
    throw new MemoryError(error.code, error.message, error.detail);
  }
  throw new MemoryError("unavailable", "the host has ended before it answered");
}
