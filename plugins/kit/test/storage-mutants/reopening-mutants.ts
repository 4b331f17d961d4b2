import { link, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Row } from "../../src/index.js";
import { LinesStorage } from "./lines-storage.js";
import type { StorageMutant } from "./mutant.js";

class MarksInMemory extends LinesStorage {
  protected override async removeIds(scope: string, ids: readonly number[]): Promise<void> {
    for (const rowId of ids) this.drop(scope, rowId);
  }
}

/** Writes the rows read at an open again at the next. */
class DoublesRows extends LinesStorage {
  readonly #doubled: [string, Row][] = [];

  override async open(): Promise<void> {
    await super.open();
    const path = join(this.directory, "opened");
    const isFirst = (await readFile(path, "utf8").catch(() => "")) === "";
    if (!isFirst)
      for (const [scope, rows] of this.filled())
        for (const row of rows.values()) this.#doubled.push([scope, row]);
    for (const [scope, row] of this.#doubled) this.rowsOf(scope).set(row.rowId + 0.5, row);
    await writeFile(path, "yes");
  }

  protected override async openFile(path: string): Promise<void> {
    if (!path.endsWith("opened")) await super.openFile(path);
  }
}

class ForgetsTakenBack extends LinesStorage {
  override async removeFrom(first: number, scopes: readonly string[]): Promise<void> {
    for (const scope of scopes) {
      for (const rowId of [...this.rowsOf(scope).keys()]) if (rowId >= first) this.drop(scope, rowId);
    }
  }
}

/** Rows by folder in the memory of the process, instead of files. */
const REMEMBERED = new Map<string, Map<string, Map<number, Row>>>();

class RemembersInProcess extends LinesStorage {
  override async open(): Promise<void> {
    await super.open();
    for (const [scope, rows] of REMEMBERED.get(this.directory) ?? []) this.rows.set(scope, rows);
    REMEMBERED.set(this.directory, this.rows);
  }

  protected override async write(): Promise<void> {}

  override async sync(): Promise<void> {}

  protected override async rewrite(): Promise<void> {}
}

class TrustsItsIndex extends LinesStorage {
  protected override async openFile(path: string): Promise<void> {
    if (path.includes(String(process.pid))) await super.openFile(path);
  }

  protected override nameOf(scope: string): string {
    return `${super.nameOf(scope)}-${process.pid}`;
  }
}

/** Stores the path of its files in its folder. */
class KeepsItsPath extends LinesStorage {
  #home = super.directory;

  protected override get directory(): string {
    return this.#home;
  }

  override async open(): Promise<void> {
    await mkdir(this.#home, { recursive: true });
    const path = join(this.#home, "home");
    this.#home = await readFile(path, "utf8").catch(() => this.#home);
    await mkdir(this.#home, { recursive: true });
    await writeFile(path, this.#home);
    await super.open();
  }

  protected override async openFile(path: string): Promise<void> {
    if (!path.endsWith("home")) await super.openFile(path);
  }
}

const SHARED = new Map<string, Map<number, Row>>();

class SharesItsRows extends LinesStorage {
  protected override readonly rows = SHARED;
}

class LinksFiles extends LinesStorage {
  override async snapshot(directory: string): Promise<void> {
    await mkdir(join(directory, "lines"), { recursive: true });
    for (const name of await readdir(this.directory))
      await link(join(this.directory, name), join(directory, "lines", name));
  }
}

class SnapshotOfNow extends LinesStorage {
  override async snapshot(directory: string): Promise<void> {
    await mkdir(join(directory, "lines"), { recursive: true });
  }
}

class ClosesWhatIsOpen extends LinesStorage {
  #isOpen = false;

  override async open(): Promise<void> {
    await super.open();
    this.#isOpen = true;
  }

  override async close(): Promise<void> {
    if (!this.#isOpen) throw new TypeError("it is not open");
  }
}

export const reopeningMutants: readonly StorageMutant[] = [
  {
    name: "removal-marks-in-memory",
    check: "reopening/twice",
    failure: /after reopening in round 0/,
    storage: MarksInMemory,
  },
  {
    name: "rows-doubled",
    check: "reopening/twice",
    failure: /after reopening in round 0/,
    storage: DoublesRows,
  },
  {
    name: "taken-back-in-memory",
    check: "reopening/twice",
    failure: /after reopening in round 0/,
    storage: ForgetsTakenBack,
  },
  {
    name: "rows-in-the-process",
    check: "reopening/other-process",
    failure: /rows that another process reads/,
    storage: RemembersInProcess,
  },
  {
    name: "files-by-process",
    check: "reopening/other-process",
    failure: /rows that another process reads/,
    storage: TrustsItsIndex,
  },
  {
    name: "path-in-the-folder",
    check: "reopening/moved-folder",
    failure: /its folder was moved|ENOENT/,
    storage: KeepsItsPath,
  },
  {
    name: "rows-shared",
    check: "reopening/folders-apart",
    failure: /another storage|the other storage/,
    storage: SharesItsRows,
  },
  { name: "snapshot-of-links", check: "reopening/snapshot", failure: /in its snapshot/, storage: LinksFiles },
  {
    name: "snapshot-of-nothing",
    check: "reopening/snapshot",
    failure: /in its snapshot/,
    storage: SnapshotOfNow,
  },
  {
    name: "close-of-open-ones",
    check: "reopening/close-of-unopened",
    failure: /it is not open/,
    storage: ClosesWhatIsOpen,
  },
];
