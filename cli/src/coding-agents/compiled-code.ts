import { hash } from "node:crypto";
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { cachedDataVersionTag } from "node:v8";

/** Bytes of the checksum before the compiled code. */
const CHECKSUM_BYTES = 32;
/** Node versions, flags of V8 and versions of membus that one user runs side by side. Each file has about 1 MB. */
const FILES_MAX = 4;
/** Lets the group or others write. */
const FOREIGN_WRITE_BITS = 0o022;

/** File with the compiled code of one source, for one version of Node and one set of flags of V8. */
export class CompiledCode {
  /** Undefined if the folder depends on the working folder, which may belong to an untrusted project. */
  readonly #path: string | undefined;
  readonly #sourceHash: Buffer;

  /** @param folder for files of this kind only. The oldest ones are deleted. */
  constructor(folder: string, source: Buffer) {
    this.#sourceHash = hash("sha256", source, "buffer");
    const [major] = process.versions.node.split(".");
    const name = `node-${major}-${cachedDataVersionTag()}-${this.#sourceHash.toString("hex", 0, 4)}`;
    this.#path = isAbsolute(folder) ? join(folder, name) : undefined;
  }

  /**
   * Returns the compiled code, or undefined if the file is missing, damaged, of another source, or if other users may have
   * written it. V8 only compares the length of the source.
   */
  read(): Buffer | undefined {
    if (this.#path === undefined) return undefined;
    try {
      const file = readOwn(this.#path);
      const compiled = file.subarray(CHECKSUM_BYTES);
      return this.#checksum(compiled).equals(file.subarray(0, CHECKSUM_BYTES)) ? compiled : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Writes compiled code that only the user may read. Never throws, because without it the next process is only slower, and
   * because an exit handler calls it.
   */
  write(compiled: Buffer): void {
    if (this.#path === undefined) return;
    // If two processes write it at once, the checksum finds a mixture.
    const draft = `${this.#path}.new`;
    try {
      mkdirSync(dirname(draft), { recursive: true, mode: 0o700 });
      writeFileSync(draft, Buffer.concat([this.#checksum(compiled), compiled]), { mode: 0o600 });
      renameSync(draft, this.#path);
      deleteOldest(dirname(draft));
    } catch {
      // Such as a full disk.
    }
  }

  #checksum(compiled: Buffer): Buffer {
    return hash("sha256", Buffer.concat([this.#sourceHash, compiled]), "buffer");
  }
}

/** @throws {Error} if the file belongs to another user, or another user may write it. */
function readOwn(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const { uid, mode } = fstatSync(file);
    // Windows has neither. There, the folder of the user has an access list.
    const user = process.getuid?.();
    if (user !== undefined && (uid !== user || (mode & FOREIGN_WRITE_BITS) !== 0))
      throw new Error(`other users may write ${path}`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function deleteOldest(folder: string): void {
  const files = readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return { path, changed: statSync(path).mtimeMs };
  });
  const oldest = files.sort((a, b) => b.changed - a.changed).slice(FILES_MAX);
  for (const { path } of oldest) rmSync(path);
}
