import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * A port of loopback that nobody listens on: of those below the ones that a system gives to connections, so that none takes
 * it before who asked does.
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
