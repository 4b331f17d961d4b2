import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { listNames } from "./disk.js";
import { DRAFT } from "./drafts.js";
import { versionOfManifest } from "./synced-version.js";

/** Lists temporary files, and data files that no version names. */
export async function orphansOf(table: string): Promise<string[]> {
  const versions = await listNames(join(table, "_versions"));
  const manifests: Buffer[] = [];
  for (const name of versions) {
    if (versionOfManifest(name) !== undefined) manifests.push(await readFile(join(table, "_versions", name)));
  }
  const isNamed = (name: string) => manifests.some((manifest) => manifest.includes(name));
  const data = (await listNames(join(table, "data"))).filter((name) => DRAFT.test(name) || !isNamed(name));
  const drafts = versions.filter((name) => DRAFT.test(name));
  return [
    ...data.map((name) => join(table, "data", name)),
    ...drafts.map((name) => join(table, "_versions", name)),
  ];
}
