import { type FileHandle, open } from "node:fs/promises";

/** What the log does with an open file. A port, so that a test can make any of it fail. */
export interface LogFile {
  /** Fills `into` from `position`. @returns the bytes read: fewer than asked only at the end of the file. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes all of `bytes`, or throws; then any part of them may be written. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  truncate(sizeBytes: number): Promise<void>;
  /** Makes contents and size survive power loss. */
  sync(): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

/** Opens a file with the flags of `fs.open`. */
export type OpenLogFile = (path: string, flags: "r" | "r+" | "w+") => Promise<LogFile>;

export const openLogFile: OpenLogFile = async (path, flags) => new NodeLogFile(await open(path, flags));

/** Closes a file when `use` is done with it. */
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
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
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

  async write(bytes: Uint8Array, position: number): Promise<void> {
    // A disk that fills up takes a part of a write; only the next attempt says why.
    let done = 0;
    while (done < bytes.length) {
      const rest = bytes.length - done;
      done += (await this.#handle.write(bytes, done, rest, position + done)).bytesWritten;
    }
  }

  truncate(sizeBytes: number): Promise<void> {
    return this.#handle.truncate(sizeBytes);
  }

  sync(): Promise<void> {
    return this.#handle.datasync();
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
