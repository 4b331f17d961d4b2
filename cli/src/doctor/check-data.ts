import { constants } from "node:fs";
import { access, readdir, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { directoryHolder } from "@membus/disk";
import type { Finding } from "./check-node.js";

const LOW_BYTES = 1024 ** 3;

/** Checks whether the data folder is writable, and how much disk space is free. */
export async function checkDataDirectory(directory: string): Promise<Finding[]> {
  const existing = await nearestExisting(directory);
  try {
    await access(existing, constants.W_OK);
  } catch {
    const advice = "choose another folder with --data, or change the owner of this one";
    return [{ check: "data", state: "problem", found: `cannot write to ${existing}`, advice }];
  }
  const { bavail, bsize } = await statfs(existing);
  const freeBytes = bavail * bsize;
  const holder = await holderOf(directory);
  const served = holder === undefined ? "not used by any process" : `used by process ${holder}`;
  const found = `${directory}, ${(freeBytes / 1024 ** 3).toFixed(1)} GiB free, ${served}`;
  if (freeBytes >= LOW_BYTES) return [{ check: "data", state: "ok", found }];
  return [
    {
      check: "data",
      state: "warning",
      found,
      advice: "less than 1 GiB is free. On a full disk, every store is refused",
    },
  ];
}

/**
 * Returns the process that holds a tier of the folder, or undefined. A host that responds may use another
 * folder.
 */
async function holderOf(directory: string): Promise<number | undefined> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names) {
    const holder = await directoryHolder(join(directory, name)).catch(() => undefined);
    if (holder !== undefined) return holder.pid;
  }
  return undefined;
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await access(path);
    return path;
  } catch {
    const parent = dirname(path);
    return parent === path ? path : nearestExisting(parent);
  }
}
