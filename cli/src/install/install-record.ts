import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { userFolders } from "../coding-agents/user-folders.js";
import type { Machine } from "./machine.js";
import { undoEdits } from "./text-edit.js";

const RecordSchema = z.strictObject({
  path: z.string(),
  /** Whether the file existed before. */
  existed: z.boolean(),
  /** Hash of the file after the installation. */
  sha256: z.string(),
  edits: z.array(z.strictObject({ offset: z.int().min(0), removed: z.string(), inserted: z.string() })),
  createdFolders: z.array(z.string()),
  /** Objects and arrays that the installation created. */
  createdParents: z.array(z.array(z.string())),
});

/** Changes that an installation made in one file, so that it can be undone. */
export type InstallRecord = z.infer<typeof RecordSchema>;

/** The records of installations in the state folder of the user: one file for each configuration file. */
export class InstallRecords {
  readonly #folder: string;

  constructor(machine: Machine) {
    this.#folder = join(userFolders(machine.env).state, "install");
  }

  /** Returns undefined if there is no readable record. */
  async read(path: string): Promise<InstallRecord | undefined> {
    try {
      const record = RecordSchema.parse(JSON.parse(await readFile(this.#file(path), "utf8")));
      return record.path === path ? record : undefined;
    } catch {
      return undefined;
    }
  }

  async write(record: InstallRecord): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = this.#file(record.path);
    // A record may replace an earlier one, which is needed until this one is complete.
    await writeFile(`${file}.tmp`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    await rename(`${file}.tmp`, file);
  }

  async remove(path: string): Promise<void> {
    const file = this.#file(path);
    await rm(`${file}.tmp`, { force: true });
    await rm(file, { force: true });
  }

  #file(path: string): string {
    return join(this.#folder, `${sha256(path).slice(0, 32)}.json`);
  }
}

/** Returns the text before the installation, or undefined if the file has changed since. */
export function textBefore(record: InstallRecord | undefined, text: string): string | undefined {
  return record?.sha256 === sha256(text) ? undoEdits(text, record.edits) : undefined;
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
