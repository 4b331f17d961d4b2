import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Returns a free port on loopback, below the range of ephemeral ports, so that no connection takes it before
 * the caller uses it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
