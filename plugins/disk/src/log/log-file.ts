import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/**
 * Flags for writes that are durable when they complete. On other systems data may still be in the disk cache
 * then.
 */
const WRITES_THROUGH = process.platform === "linux" ? constants.O_WRONLY | constants.O_DSYNC : undefined;

/** Operations of the log on an open file. An interface, so that a test can make any of them fail. */
export interface LogFile {
  /**
   * Fills `into` from `position`. @returns the bytes read, fewer than requested only at the end of the file.
   */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes all of `bytes`, or throws after writing any part of them. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Like `write`, but the bytes also survive power loss. */
  writeDurably(bytes: Uint8Array, position: number): Promise<void>;
  truncate(sizeBytes: number): Promise<void>;
  /** Makes contents and size survive power loss. */
  sync(): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

/** Opens a file with the flags of `fs.open`. */
export type OpenLogFile = (path: string, flags: "r" | "r+" | "w+") => Promise<LogFile>;

export const openLogFile: OpenLogFile = async (path, flags) =>
  new NodeLogFile(path, await open(path, flags, 0o600));

/** Implements a durable write as write and sync. */
export async function writeAndSync(
  file: Pick<LogFile, "write" | "sync">,
  bytes: Uint8Array,
  position: number,
): Promise<void> {
  await file.write(bytes, position);
  await file.sync();
}

/** Runs `use` with a file and closes the file. */
export async function useLogFile<T>(
  opened: LogFile | Promise<LogFile>,
  use: (file: LogFile) => Promise<T>,
): Promise<T> {
  const file = await opened;
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

class NodeLogFile implements LogFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  /** Second handle of the same file for durable writes, which needs one thread pool call instead of two. */
  #through: FileHandle | undefined;

  constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    let done = 0;
    while (done < into.length) {
      const { bytesRead } = await this.#handle.read(into, done, into.length - done, position + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return done;
  }

  write(bytes: Uint8Array, position: number): Promise<void> {
    return writeAll(this.#handle, bytes, position);
  }

  async writeDurably(bytes: Uint8Array, position: number): Promise<void> {
    if (WRITES_THROUGH === undefined) return writeAndSync(this, bytes, position);
    this.#through ??= await open(this.#path, WRITES_THROUGH);
    await writeAll(this.#through, bytes, position);
  }

  truncate(sizeBytes: number): Promise<void> {
    return this.#handle.truncate(sizeBytes);
  }

  /** Syncs through the handle that writes, because the system reports a failed sync once per handle. */
  sync(): Promise<void> {
    return (this.#through ?? this.#handle).datasync();
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  async close(): Promise<void> {
    try {
      await this.#through?.close();
    } finally {
      await this.#handle.close();
    }
  }
}

/**
 * Writes all bytes. A disk that fills up accepts part of a write, and only the next attempt returns the
 * error.
 */
async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const rest = bytes.length - done;
    done += (await handle.write(bytes, done, rest, position + done)).bytesWritten;
  }
}
