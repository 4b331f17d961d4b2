import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { answers, withSocketAddress } from "@membus/disk";
import { isMemoryError, type Json, MemoryError } from "@membus/protocol";
import type { ControlReply, ControlRequest } from "./control-messages.js";

/**
 * What a host does for others on its machine. `answer` passes the result on, and resolves when whoever asked has gone: what
 * was made for him alone can go then.
 */
export type ControlCommand = (
  args: { readonly [name: string]: Json },
  answer: (result: Json) => Promise<void>,
) => Promise<void>;

export interface ControlServer {
  /** Resolves when every command has ended; who still waits for one is let go. */
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 16;
const REQUEST_BYTES_MAX = 64 * 1_024;
/** Only its owner may connect. */
const OTHERS = 0o177;

/**
 * Serves commands at a socket file, to the user of this process alone: a line of JSON a connection, answered by another.
 * What a killed process has left there is replaced.
 * @throws {MemoryError} `conflict` while another process answers there.
 */
export async function startControlServer(
  path: string,
  commands: Readonly<Record<string, ControlCommand>>,
): Promise<ControlServer> {
  if (await answers(path)) throw new MemoryError("conflict", `another process answers at ${path}`, { path });
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
    // The file is made in this call, and must not be anybody's for a moment.
    const mask = process.umask(OTHERS);
    try {
      server.listen(address);
    } finally {
      process.umask(mask);
    }
    await once(server, "listening");
  });
}

async function serve(socket: Socket, commands: Readonly<Record<string, ControlCommand>>): Promise<void> {
  // Who goes in the middle of it is no failure of ours.
  socket.on("error", () => undefined);
  const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const reply = async (line: ControlReply) => {
    if (!socket.destroyed) socket.write(`${JSON.stringify(line)}\n`);
    await gone;
  };
  try {
    const { cmd, args = {} } = parseRequest(await readLine(socket));
    const command = Object.hasOwn(commands, cmd) ? commands[cmd] : undefined;
    if (command === undefined) throw new MemoryError("unsupported", `the host knows no command ${cmd}`);
    await command(args, (result) => reply({ result }));
  } catch (error) {
    await reply({ error: describe(error) });
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
        reject(new MemoryError("too_large", "the request is too large"));
    });
    socket.once("close", () => reject(new MemoryError("unavailable", "whoever asked has gone")));
  });
}

function parseRequest(line: string): ControlRequest {
  try {
    const { cmd, args } = JSON.parse(line) as ControlRequest;
    if (typeof cmd === "string") return { cmd, ...(args !== undefined && { args }) };
  } catch {
    // Told below.
  }
  throw new MemoryError("schema_violation", 'a request is {"cmd": …, "args": {…}}');
}

function describe(error: unknown): NonNullable<ControlReply["error"]> {
  if (isMemoryError(error)) return { code: error.code, message: error.message, detail: error.detail };
  return {
    code: "runtime_error",
    message: error instanceof Error ? error.message : String(error),
    detail: {},
  };
}
