import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

/** What is looked for in files, by name: texts, or bytes. */
export type Secrets = Readonly<Record<string, string | Uint8Array>>;

/** Paths of all files below a directory, relative to it. */
export async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => relative(directory, join(entry.parentPath, entry.name))).sort();
}

/** The files below a directory that hold each secret, by their contents or by their names, for those that any holds. */
export async function filesHolding(directory: string, secrets: Secrets): Promise<Record<string, string[]>> {
  const patterns = Object.entries(secrets).map(([name, secret]) => [name, spellings(secret)] as const);
  const found: Record<string, string[]> = {};
  for (const path of await listFiles(directory)) {
    const bytes = Buffer.concat([
      await readFile(join(directory, path)).catch(gone),
      Buffer.from(`\n${path}`),
    ]);
    for (const [name, forms] of patterns) {
      if (!forms.some((form) => bytes.includes(form))) continue;
      found[name] = [...(found[name] ?? []), path];
    }
  }
  return found;
}

/** A file of another name when it is whole, or one that upkeep has removed meanwhile. */
function gone(error: NodeJS.ErrnoException): Buffer {
  if (error.code === "ENOENT") return Buffer.alloc(0);
  throw error;
}

/** How storages write a secret down: as it is, in UTF-16, in hexadecimal digits, in base64 wherever it begins. */
function spellings(secret: string | Uint8Array): Buffer[] {
  const bytes = Buffer.from(secret as string);
  const hex = bytes.toString("hex");
  const wide = typeof secret === "string" ? [Buffer.from(secret, "utf16le")] : [];
  return [
    bytes,
    ...wide,
    Buffer.from(hex),
    Buffer.from(hex.toUpperCase()),
    ...[0, 1, 2].map((at) => inBase64(bytes, at)),
  ];
}

/** Characters of base64 that hold bits of what comes before, by how many bytes of a group of three do. */
const BITS_BEFORE = [0, 2, 3];

function inBase64(bytes: Buffer, before: number): Buffer {
  const whole = bytes.subarray(0, bytes.length - ((bytes.length + before) % 3));
  return Buffer.from(
    Buffer.concat([Buffer.alloc(before), whole])
      .toString("base64")
      .slice(BITS_BEFORE[before]),
  );
}
