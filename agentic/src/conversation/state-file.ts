import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import type { ConversationState } from "./conversation-state.js";

const FileSchema = z.strictObject({
  state: z.unknown(),
  additional_state: z.record(z.string(), z.unknown()).optional(),
});
type FileContent = z.infer<typeof FileSchema>;

/** Replaces the file atomically, after its bytes are on disk. The old content stays until then. */
export async function saveStateFile(
  path: string,
  content: { readonly state: ConversationState; readonly additional_state: object | undefined },
): Promise<void> {
  const text = JSON.stringify(content);
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeDurably(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the rename durable. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** @throws {TypeError} for a file that `saveStateFile` did not write. */
export async function loadStateFile(path: string): Promise<FileContent> {
  const text = await readFile(path, "utf8");
  try {
    return FileSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new TypeError(`${path} is not a conversation state file`, { cause: error });
  }
}
