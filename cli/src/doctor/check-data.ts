import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { dirname } from "node:path";
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
  const found = `${directory}, ${(freeBytes / 1024 ** 3).toFixed(1)} GiB free`;
  if (freeBytes >= LOW_BYTES) return [{ check: "data", state: "ok", found }];
  return [
    { check: "data", state: "warning", found, advice: "less than 1 GiB: a full disk refuses every store" },
  ];
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
