import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { hasListener, withSocketAddress } from "@membus/disk";
import { type Json, MemoryError } from "@membus/protocol";
import { type ControlReply, commandOf, errorReply, parseControlRequest } from "./control-messages.js";

/**
 * A command that a host runs for local clients. `answer` sends the result, and resolves when the client has
 * disconnected. The command can then delete its temporary files.
 */
export type ControlCommand = (
  args: { readonly [name: string]: Json },
  answer: (result: Json) => Promise<void>,
) => Promise<void>;

export interface ControlServer {
  /** Disconnects all clients, and resolves when every command has ended. */
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 16;
const REQUEST_BYTES_MAX = 64 * 1_024;
/** Makes the socket accessible only to its owner. */
const UMASK_OWNER_ONLY = 0o177;

/**
 * Serves commands on a socket file, only for the user of this process. Each connection sends one line of JSON
 * and receives one. A socket file left by a killed process is replaced.
 * @throws {MemoryError} `conflict` if another process serves the socket.
 */
export async function startControlServer(
  path: string,
  commands: Readonly<Record<string, ControlCommand>>,
): Promise<ControlServer> {
  if (await hasListener(path))
    throw new MemoryError("conflict", `another process serves ${path}: stop it first`, { path });
  await rm(path, { force: true });
  const running = new Set<Promise<void>>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const run = serve(socket, commands).finally(() => {
      running.delete(run);
      sockets.delete(socket);
    });
    running.add(run);
  });
  server.maxConnections = CONNECTIONS_MAX;
  await listen(server, path);
  return {
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all([...running, closed]);
      await rm(path, { force: true });
    },
  };
}

async function listen(server: Server, path: string): Promise<void> {
  await withSocketAddress(path, async (address) => {
    // The call creates the file, which must never be accessible to other users.
    const mask = process.umask(UMASK_OWNER_ONLY);
    try {
      server.listen(address);
    } finally {
      process.umask(mask);
    }
    await once(server, "listening");
  });
}

async function serve(socket: Socket, commands: Readonly<Record<string, ControlCommand>>): Promise<void> {
  // A client that disconnects early is not an error.
  socket.on("error", () => undefined);
  const disconnected = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const reply = async (line: ControlReply) => {
    if (!socket.destroyed) socket.write(`${JSON.stringify(line)}\n`);
    await disconnected;
  };
  try {
    const request = parseControlRequest(await readLine(socket));
    await commandOf(commands, request)(request.args ?? {}, (result) => reply({ result }));
  } catch (error) {
    await reply(errorReply(error));
  } finally {
    socket.destroy();
  }
}

function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const end = text.indexOf("\n");
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > REQUEST_BYTES_MAX)
        reject(
          new MemoryError("too_large", `request too large: the limit is ${REQUEST_BYTES_MAX} characters`),
        );
    });
    socket.once("close", () =>
      reject(new MemoryError("unavailable", "the client disconnected before it sent a request")),
    );
  });
}
