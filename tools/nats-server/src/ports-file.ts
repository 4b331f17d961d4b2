import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Returns the client port in the ports file that a nats-server wrote to `directory`, or undefined if there is
 * no file. The server writes the file when it listens, so the port belongs to that server.
 */
export async function readClientPort(directory: string): Promise<number | undefined> {
  try {
    const name = (await readdir(directory)).find((file) => file.endsWith(".ports"));
    if (name === undefined) return undefined;
    const { nats } = JSON.parse(await readFile(join(directory, name), "utf8")) as { nats?: string[] };
    return nats?.[0] === undefined ? undefined : Number(new URL(nats[0]).port);
  } catch {
    // The file is incomplete. The next read succeeds.
    return undefined;
  }
}
