import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createDirectory, replaceFile } from "@membus/disk";
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

/** A crash may prevent that the configuration gets the text of the record. It still has the text of the previous one. */
const RecordFileSchema = RecordSchema.extend({ previous: RecordSchema.optional() });

/** The records of installations in the state folder of the user: one file for each configuration file. */
export class InstallRecords {
  readonly #folder: string;

  constructor(machine: Machine) {
    this.#folder = join(userFolders(machine.env).state, "install");
  }

  /** Returns the record that fits the text, or else the latest one. Undefined if there is no readable record. */
  async read(path: string, text: string | undefined): Promise<InstallRecord | undefined> {
    try {
      const { previous, ...latest } = RecordFileSchema.parse(
        JSON.parse(await readFile(this.#file(path), "utf8")),
      );
      if (latest.path !== path) return undefined;
      return fits(previous, text) ? previous : latest;
    } catch {
      return undefined;
    }
  }

  /** Returns the file of a record that an interrupted installation has left, if it exists. */
  temporaries(path: string): string[] {
    return [this.#draft(path)].filter((draft) => existsSync(draft));
  }

  /** @param text of the configuration file before the installation. */
  async write(record: InstallRecord, text: string | undefined): Promise<void> {
    const previous = await this.read(record.path, text);
    const file = this.#file(record.path);
    await createDirectory(dirname(file));
    await replaceFile(file, `${JSON.stringify({ ...record, ...(fits(previous, text) && { previous }) })}\n`);
  }

  async remove(path: string): Promise<void> {
    await rm(this.#file(path), { force: true });
  }

  /** Where `replaceFile` writes a record first. */
  #draft(path: string): string {
    return `${this.#file(path)}.new`;
  }

  #file(path: string): string {
    return join(this.#folder, `${sha256(path).slice(0, 32)}.json`);
  }
}

/** Returns the text before the installation, or undefined if the file has changed since. */
export function textBefore(record: InstallRecord | undefined, text: string): string | undefined {
  return record !== undefined && fits(record, text) ? undoEdits(text, record.edits) : undefined;
}

function fits(record: InstallRecord | undefined, text: string | undefined): boolean {
  return text !== undefined && record?.sha256 === sha256(text);
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
