import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { symlink, unlink } from "node:fs/promises";
import { createConnection, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/** Longest socket path that every system supports. */
const PATH_BYTES_MAX = 103;
/** Error codes of a connection to a socket without a listener. */
const DEAD = new Set(["ECONNREFUSED", "ENOENT", "ENOTSOCK"]);

/**
 * Listens on a socket file. The socket answers while this process is alive, however busy it is. It cannot be
 * confused by reused process ids and is visible from other containers. Returns undefined if no socket can be
 * created.
 */
export async function listen(path: string): Promise<Server | undefined> {
  const server = createServer((connection) => connection.destroy());
  try {
    await withSocketAddress(path, async (address) => {
      server.listen(address);
      await once(server, "listening");
    });
  } catch {
    return undefined;
  }
  server.unref();
  return server;
}

/** Returns whether a process listens on the socket file. */
export async function hasListener(path: string): Promise<boolean> {
  return withSocketAddress(path, async (address) => {
    const connection = createConnection(address);
    try {
      await once(connection, "connect");
      return true;
    } catch (error) {
      return !DEAD.has((error as NodeJS.ErrnoException).code ?? "");
    } finally {
      connection.destroy();
    }
  });
}

/**
 * Calls `use` with an address of the socket file that is short enough, if necessary through a link to its
 * directory.
 */
export async function withSocketAddress<T>(path: string, use: (address: string) => Promise<T>): Promise<T> {
  if (process.platform === "win32") return use(`\\\\.\\pipe\\membus-${basename(path)}`);
  if (Buffer.byteLength(path) <= PATH_BYTES_MAX) return use(path);
  const link = join(tmpdir(), `membus-${randomBytes(8).toString("hex")}`);
  await symlink(dirname(path), link);
  try {
    return await use(join(link, basename(path)));
  } finally {
    await unlink(link);
  }
}
