import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "../directory/index.js";

/** Names of the copies of damaged files that a repair makes. */
const SET_ASIDE = /\.corrupt-\d+$/;

/** Removes the copies of damaged files from a log's directory. */
export async function removeSetAside(directory: string): Promise<void> {
  const names = await namesSetAside(directory);
  for (const name of names) await rm(join(directory, name));
  if (names.length > 0) await syncDirectory(directory);
}

export async function hasSetAside(directory: string): Promise<boolean> {
  return (await namesSetAside(directory)).length > 0;
}

async function namesSetAside(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => SET_ASIDE.test(name));
}
