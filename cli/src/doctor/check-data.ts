import { constants } from "node:fs";
import { access, readdir, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { directoryHolder } from "@membus/disk";
import type { Finding } from "./check-node.js";

const LOW_BYTES = 1024 ** 3;

/** Whether memories can be written where they would go, and how much room is left. */
export async function checkDataDirectory(directory: string): Promise<Finding[]> {
  const existing = await nearestExisting(directory);
  try {
    await access(existing, constants.W_OK);
  } catch {
    const advice = "choose another folder with --data, or change its owner";
    return [{ check: "data", state: "problem", found: `${existing} cannot be written to`, advice }];
  }
  const { bavail, bsize } = await statfs(existing);
  const freeBytes = bavail * bsize;
  const holder = await holderOf(directory);
  const served = holder === undefined ? "served by no process" : `served by process ${holder}`;
  const found = `${directory}, ${(freeBytes / 1024 ** 3).toFixed(1)} GiB free, ${served}`;
  if (freeBytes >= LOW_BYTES) return [{ check: "data", state: "ok", found }];
  return [
    { check: "data", state: "warning", found, advice: "less than 1 GiB: a full disk refuses every store" },
  ];
}

/** The process whose tiers are open there; undefined for none, as when the host that answers has another folder. */
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
