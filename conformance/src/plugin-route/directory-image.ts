import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Files below this size are read and written every time. */
const LARGE_BYTES = 2 ** 20;

/** Contents of a directory by path. Folders have the value null. */
export type DirectoryImage = ReadonlyMap<string, FileImage | null>;

interface FileImage {
  readonly bytes: Buffer;
  readonly digest: string;
}

/** A directory that is repeatedly saved as an image or replaced with one. */
export class ImagedDirectory {
  readonly path: string;
  /** Large files as they were read or written last, each with the state that detects a change. */
  readonly #known = new Map<string, { readonly file: FileImage; readonly state: string }>();

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Reads the directory synchronously, so that this process cannot change it in between.
   *
   * Sockets and pipes are omitted because they end with their process.
   */
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

  /** Returns the state of a file. Undefined if it does not exist. */
  #stateOf(name: string): string | undefined {
    const state = statSync(join(this.path, name), { bigint: true, throwIfNoEntry: false });
    return state && `${state.ino} ${state.size} ${state.ctimeNs}`;
  }
}

/** Returns a digest that is equal for equal images. */
export function digestOf(image: DirectoryImage): string {
  const files = [...image].map(([name, file]) => JSON.stringify([name, file?.digest ?? null]));
  return files.sort().join("\n");
}
