import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

/** Texts or bytes that are searched in files, by name. */
export type Secrets = Readonly<Record<string, string | Uint8Array>>;

/** Returns the paths of all files below a directory, relative to it. */
export async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => relative(directory, join(entry.parentPath, entry.name))).sort();
}

/**
 * Returns, for each secret that occurs in file contents or file names below a directory, the paths of these
 * files.
 */
export async function filesContaining(
  directory: string,
  secrets: Secrets,
): Promise<Record<string, string[]>> {
  const patterns = Object.entries(secrets).map(([name, secret]) => [name, encodings(secret)] as const);
  const found: Record<string, string[]> = {};
  for (const path of await listFiles(directory)) {
    const bytes = Buffer.concat([
      await readFile(join(directory, path)).catch(emptyIfMissing),
      Buffer.from(`\n${path}`),
    ]);
    for (const [name, forms] of patterns) {
      if (!forms.some((form) => bytes.includes(form))) continue;
      found[name] = [...(found[name] ?? []), path];
    }
  }
  return found;
}

/** Treats a missing file as empty: it was renamed after it was complete, or removed by maintenance. */
function emptyIfMissing(error: NodeJS.ErrnoException): Buffer {
  if (error.code === "ENOENT") return Buffer.alloc(0);
  throw error;
}

/**
 * Returns the encodings of a secret that storages use: plain, UTF-16, hexadecimal, and base64 at each offset.
 */
function encodings(secret: string | Uint8Array): Buffer[] {
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

/**
 * Number of base64 characters with bits of the preceding bytes, by the number of these bytes modulo three.
 */
const BITS_BEFORE = [0, 2, 3];

function inBase64(bytes: Buffer, before: number): Buffer {
  const whole = bytes.subarray(0, bytes.length - ((bytes.length + before) % 3));
  return Buffer.from(
    Buffer.concat([Buffer.alloc(before), whole])
      .toString("base64")
      .slice(BITS_BEFORE[before]),
  );
}
