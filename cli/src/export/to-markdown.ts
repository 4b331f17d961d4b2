import { hash, randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isJsonObject, type Json, type MemoryEntry } from "@membus/protocol";
import { stringify } from "yaml";
import { isoTime } from "./to-mem0.js";

/** An import reads at most as many files of a folder. */
const FILES_MAX = 100_000;

const NAME_LENGTH_MAX = 40;
const HASH_LENGTH = 16;
/** Length of the numbers up to `FILES_MAX`. */
const NUMBER_LENGTH = 6;

/** How the text of a file becomes the content of its entry. */
export type MarkdownContent = "text" | "string" | "json";

/**
 * Writes a file for each entry below a new folder, named after tier, namespace and key. The folder gets its
 * name once it is complete.
 * @throws {TypeError} for a folder with files, or more than 100,000 entries.
 */
export async function writeMarkdown(folder: string, entries: AsyncIterable<MemoryEntry>): Promise<void> {
  const target = resolve(folder);
  await requireEmpty(target);
  const partial = `${target}.${randomUUID().slice(0, 8)}.partial`;
  try {
    await mkdir(partial, { recursive: true, mode: 0o700 });
    let count = 0;
    for await (const entry of entries) {
      if (++count > FILES_MAX) throw new TypeError(`more than ${FILES_MAX} entries: select fewer`);
      const path = join(partial, filePath(entry, count));
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, markdownText(entry), { flag: "wx", mode: 0o600 });
    }
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function requireEmpty(folder: string): Promise<void> {
  const children = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new TypeError(`cannot write to ${folder}: ${error.message}`, { cause: error });
  });
  if (children.length > 0) throw new TypeError(`${folder} is not empty: name a new folder`);
}

/**
 * Returns a path that is valid on every system. The number keeps the order of the entries, because an import reads the
 * files by name. The hash distinguishes entries with similar names.
 */
function filePath({ tier, namespace, key, key_hash: keyHash }: MemoryEntry, number: number): string {
  const folders = namespace.split("/").map(plainName);
  const id = hash("sha256", `${tier}\n${namespace}\n${keyHash}`).slice(0, HASH_LENGTH);
  const name = plainName(
    Object.values(key)
      .filter((value) => typeof value !== "object")
      .join("-"),
  );
  return join(tier, ...folders, `${String(number).padStart(NUMBER_LENGTH, "0")}-${name}-${id}.md`);
}

function plainName(text: string): string {
  const plain = text
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, NAME_LENGTH_MAX)
    .toWellFormed();
  return plain.replace(/^-/, "").replace(/-$/, "") || "entry";
}

/** Returns a Markdown file. Its front matter has all fields of the entry that a store accepts. */
export function markdownText(entry: MemoryEntry): string {
  const { content, key, tier, namespace, source, importance, occurred_at } = entry;
  const { metadata, text, context, group, sources, expires_at } = entry;
  const { form, body } = bodyOf(content);
  const front = { created: isoTime(occurred_at), tags: [...entry.tags] };
  const fields = { key, tier, namespace, content: form, source, importance, occurred_at };
  const optional = { metadata, text, context, group, sources, expires_at };
  // JSON is YAML, and keeps every number and character as it is.
  return `---\n${stringify(front)}membus: ${JSON.stringify({ ...fields, ...optional })}\n---\n${body}\n`;
}

function bodyOf(content: Json): { readonly form: MarkdownContent; readonly body: string } {
  if (typeof content === "string") return { form: "string", body: content };
  if (isJsonObject(content) && typeof content.text === "string" && Object.keys(content).length === 1) {
    return { form: "text", body: content.text };
  }
  return { form: "json", body: `\`\`\`json\n${JSON.stringify(content, null, 2)}\n\`\`\`` };
}
