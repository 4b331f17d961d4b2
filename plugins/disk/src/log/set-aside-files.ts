import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "../directory/index.js";

/** Names that a repair gives to its copies of damaged files. */
const SET_ASIDE = /\.corrupt-\d+$/;

/** Removes from a log's directory what repairs have set aside there. */
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
