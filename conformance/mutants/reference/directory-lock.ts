import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MemoryError } from "@membus/protocol";

/** A file that names the process which has the directory; that of a process which has ended counts as none. */
export class DirectoryLock {
  readonly #path: string;

  /** @throws {MemoryError} `conflict` that names the holder. */
  constructor(directory: string) {
    this.#path = join(directory, "lock");
    const holder = holderOf(this.#path);
    if (holder !== undefined && isAlive(holder)) {
      throw new MemoryError("conflict", `${directory} is held by process ${holder}`, { pid: holder });
    }
    rmSync(this.#path, { force: true });
    writeFileSync(this.#path, String(process.pid), { flag: "wx" });
  }

  release(): void {
    rmSync(this.#path, { force: true });
  }
}

function holderOf(path: string): number | undefined {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
