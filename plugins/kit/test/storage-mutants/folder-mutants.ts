import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LinesStorage } from "./lines-storage.js";
import type { StorageMutant } from "./mutant.js";

/** Removes unknown files as leftovers. */
class TidiesFolder extends LinesStorage {
  override async open(): Promise<void> {
    for (const name of await readdir(this.place.directory).catch((): string[] => [])) {
      if (name !== "lines") await rm(join(this.place.directory, name), { recursive: true });
    }
    await super.open();
  }
}

class FilesInFolder extends LinesStorage {
  override async open(): Promise<void> {
    await super.open();
    await writeFile(join(this.place.directory, "storage.json"), "{}");
  }
}

class WritesFormat extends LinesStorage {
  override async open(): Promise<void> {
    await super.open();
    await writeFile(join(this.place.directory, "format"), "1");
  }
}

/** Keeps the lock of a killed process forever. */
class LocksItself extends LinesStorage {
  get #lock(): string {
    return join(this.place.directory, "owner");
  }

  override async open(): Promise<void> {
    await mkdir(this.#lock);
    await super.open();
  }

  override async close(): Promise<void> {
    await rm(this.#lock, { recursive: true, force: true });
  }
}

/** Removes the lock of another process. */
class BreaksLocks extends LinesStorage {
  override async open(): Promise<void> {
    await super.open();
    await rm(join(this.place.directory, "lock"), { recursive: true, force: true });
  }
}

/** Starts empty after a kill. */
class StartsAfresh extends LinesStorage {
  override async open(): Promise<void> {
    const path = join(this.place.directory, "opened");
    const names = await readdir(this.place.directory).catch((): string[] => []);
    if (names.includes("opened"))
      for (const name of ["lines", "log"])
        await rm(join(this.place.directory, name), { recursive: true, force: true });
    await super.open();
    await writeFile(path, "");
  }

  override async close(): Promise<void> {
    await rm(join(this.place.directory, "opened"), { force: true });
  }
}

export const folderMutants: readonly StorageMutant[] = [
  {
    name: "tidies-folder",
    check: "folder/files-of-the-kit",
    failure: /content of format after the storage was used/,
    storage: TidiesFolder,
  },
  {
    name: "files-in-folder",
    check: "folder/files-of-the-kit",
    failure: /files with names of the kit that the storage created/,
    storage: FilesInFolder,
  },
  {
    name: "writes-format",
    check: "folder/files-of-the-kit",
    failure: /content of format after the storage was used/,
    storage: WritesFormat,
  },
  { name: "locks-itself", check: "folder/one-owner", failure: /EEXIST/, storage: LocksItself },
  {
    name: "breaks-locks",
    check: "folder/one-owner",
    failure: /result of opening a folder that another process has open/,
    storage: BreaksLocks,
  },
  {
    name: "starts-afresh",
    check: "folder/one-owner",
    failure: /entries after the other process was killed|is incomplete/,
    storage: StartsAfresh,
  },
];
