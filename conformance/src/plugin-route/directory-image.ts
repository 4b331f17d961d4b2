import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What is smaller is read and written again each time. */
const LARGE_BYTES = 2 ** 20;

/** The files below a directory by their path, and its folders, each with null. */
export type DirectoryImage = ReadonlyMap<string, FileImage | null>;

interface FileImage {
  readonly bytes: Buffer;
  readonly digest: string;
}

/** One directory that is looked at, or made what others were, again and again. */
export class ImagedDirectory {
  readonly path: string;
  /** Large files as they were read or written last, each with what tells that it is the same still. */
  readonly #known = new Map<string, { readonly file: FileImage; readonly state: string }>();

  constructor(path: string) {
    this.path = path;
  }

  /** At once, so that nothing of this process comes between. Sockets and pipes are left out: they end with their process. */
  image(): DirectoryImage {
    const image = new Map<string, FileImage | null>();
    for (const one of readdirSync(this.path, { recursive: true, withFileTypes: true })) {
      const name = join(one.parentPath, one.name).slice(this.path.length + 1);
      if (one.isDirectory()) image.set(name, null);
      if (one.isFile()) image.set(name, this.#unchanged(name) ?? this.#read(name));
    }
    return image;
  }

  restore(image: DirectoryImage): void {
    const large = new Set([...image].flatMap(([name, file]) => (this.#holds(name, file) ? [name] : [])));
    for (const one of readdirSync(this.path, { recursive: true, withFileTypes: true })) {
      const name = join(one.parentPath, one.name).slice(this.path.length + 1);
      const isKept = large.has(name) || (one.isDirectory() && image.has(name));
      if (!isKept) rmSync(join(this.path, name), { recursive: true, force: true });
    }
    for (const [name, file] of image) if (!large.has(name)) this.#write(name, file);
  }

  #holds(name: string, file: FileImage | null): boolean {
    return file !== null && this.#unchanged(name)?.digest === file.digest;
  }

  #unchanged(name: string): FileImage | undefined {
    const known = this.#known.get(name);
    return known !== undefined && this.#stateOf(name) === known.state ? known.file : undefined;
  }

  #read(name: string): FileImage {
    const bytes = readFileSync(join(this.path, name));
    const file = { bytes, digest: createHash("sha256").update(bytes).digest("hex") };
    this.#remember(name, file);
    return file;
  }

  #write(name: string, file: FileImage | null): void {
    const path = join(this.path, name);
    mkdirSync(file === null ? path : dirname(path), { recursive: true });
    if (file === null) return;
    writeFileSync(path, file.bytes);
    this.#remember(name, file);
  }

  #remember(name: string, file: FileImage): void {
    if (file.bytes.length < LARGE_BYTES) this.#known.delete(name);
    else this.#known.set(name, { file, state: this.#stateOf(name)! });
  }

  /** Undefined where there is no such file. */
  #stateOf(name: string): string | undefined {
    const state = statSync(join(this.path, name), { bigint: true, throwIfNoEntry: false });
    return state && `${state.ino} ${state.size} ${state.ctimeNs}`;
  }
}

/** The same for images that are the same. */
export function digestOf(image: DirectoryImage): string {
  const files = [...image].map(([name, file]) => JSON.stringify([name, file?.digest ?? null]));
  return files.sort().join("\n");
}
