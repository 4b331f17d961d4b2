import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The client port that a nats-server wrote to its ports file in `directory`; undefined while there is none.
 * It writes the file once it listens, so the port is its own, also when something else answers there.
 */
export async function readClientPort(directory: string): Promise<number | undefined> {
  try {
    const name = (await readdir(directory)).find((file) => file.endsWith(".ports"));
    if (name === undefined) return undefined;
    const { nats } = JSON.parse(await readFile(join(directory, name), "utf8")) as { nats?: string[] };
    return nats?.[0] === undefined ? undefined : Number(new URL(nats[0]).port);
  } catch {
    // Half written: the next look finds it whole.
    return undefined;
  }
}
