import { type LogFile, type OpenLogFile, openLogFile, writeAndSync } from "../src/log/log-file.js";

/** Real log files with writes that fail on request, half written. */
export class FaultyLogFiles {
  isFailing = false;
  code = "EIO";
  /** Additional condition for failures. */
  failsWhile: () => boolean = () => false;
  failedWrites = 0;

  readonly openFile: OpenLogFile = async (path, flags) => {
    const file = await openLogFile(path, flags);
    const write: LogFile["write"] = (bytes, position) => this.#write(file, bytes, position);
    const writeDurably: LogFile["write"] = (bytes, position) =>
      writeAndSync({ write, sync: () => file.sync() }, bytes, position);
    return { ...bound(file), write, writeDurably };
  };

  async #write(file: LogFile, bytes: Uint8Array, position: number): Promise<void> {
    if (!this.isFailing && !this.failsWhile()) return file.write(bytes, position);
    this.failedWrites++;
    await file.write(bytes.subarray(0, bytes.length / 2), position);
    throw Object.assign(new Error(`${this.code}: planned`), { code: this.code });
  }
}

function bound(file: LogFile): Omit<LogFile, "write" | "writeDurably"> {
  return {
    read: (into, position) => file.read(into, position),
    truncate: (sizeBytes) => file.truncate(sizeBytes),
    sync: () => file.sync(),
    size: () => file.size(),
    close: () => file.close(),
  };
}
