import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import type { Storage, StorageContext } from "@membus/plugin-kit";
import { systemClock } from "@membus/protocol";
import { createLanceStorage } from "../../src/index.js";
import { TableBucket, type TableRecord, type TableRecords } from "../../src/s3.js";
import { FolderObjects } from "./folder-objects.js";

/** Name of the variable with the endpoint, which processes of the suite inherit. */
export const ENDPOINT = "MEMBUS_TEST_S3";

/** Records of one owner in files. */
class FileRecords implements TableRecords {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async list(): Promise<ReadonlyMap<string, TableRecord>> {
    mkdirSync(this.#directory, { recursive: true });
    const names = readdirSync(this.#directory);
    return new Map(names.map((name) => [name, this.#read(name)!]));
  }

  async read(name: string): Promise<TableRecord | undefined> {
    return this.#read(name);
  }

  async update(
    name: string,
    change: (found: TableRecord | undefined) => Promise<TableRecord | undefined>,
  ): Promise<void> {
    const record = await change(this.#read(name));
    mkdirSync(this.#directory, { recursive: true });
    if (record === undefined) rmSync(join(this.#directory, name), { force: true });
    else replaceFile(join(this.#directory, name), JSON.stringify(record));
  }

  #read(name: string): TableRecord | undefined {
    try {
      return JSON.parse(readFileSync(join(this.#directory, name), "utf8"));
    } catch {
      return undefined;
    }
  }
}

/** Replaces a file at once, because the suite kills this process. Readers of the directory see no other file. */
function replaceFile(path: string, text: string): void {
  const draft = `${dirname(path)}.${basename(path)}.draft`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}

const [root, prefix] = [dirname(tmpdir()), basename(tmpdir())];

/** Returns the objects of the suite's server, which are files of the directories of the suite. */
export function suiteObjects(): FolderObjects {
  return new FolderObjects(root);
}

let bucket: TableBucket | undefined;

/** Connects to the suite's server. A process of the suite connects when it loads this module. */
export async function connect(endpoint: string): Promise<void> {
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  bucket = TableBucket.connect({ bucket: "bucket", prefix, endpoint, ...credentials }, systemClock);
}

const { [ENDPOINT]: inherited } = process.env;
if (inherited !== undefined) await connect(inherited);

/** Creates the storage for the storage suite, also in its processes. */
export function createStorage(place: StorageContext): Storage {
  const { clock, logger, directory } = place;
  const records = new FileRecords(join(directory, "records"));
  const ownership = { async untilOwned() {} };
  const id = join(relative(tmpdir(), directory), "table");
  const store = bucket!.store({ id, records, ownership, clock, logger });
  return createLanceStorage({ ...place, store });
}
