import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { syncDirectory } from "@membus/disk";

/**
 * Writes a file and gives it its name once it is complete and on disk. A failure leaves the earlier file. Only
 * its owner may read it. A device or pipe is written directly.
 */
export async function placeFile(path: string, chunks: AsyncIterable<string>): Promise<void> {
  const target = resolve(path);
  if (await isDevice(target)) {
    await pipeline(chunks, createWriteStream(target));
    return;
  }
  const partial = `${target}.${randomUUID().slice(0, 8)}.partial`;
  try {
    await pipeline(chunks, createWriteStream(partial, { flags: "wx", mode: 0o600, flush: true }));
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  await syncDirectory(dirname(target));
}

async function isDevice(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    return !found.isFile() && !found.isDirectory();
  } catch {
    return false;
  }
}
