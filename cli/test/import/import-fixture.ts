import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type OpenedMemory, openMemory } from "../../src/index.js";

export interface ImportFixture {
  readonly folder: string;
  readonly memory: OpenedMemory;
  /** Writes a file, a value as JSON. Returns its path. */
  write(name: string, content: unknown): Promise<string>;
}

/** Opens a host in a folder for the tests of a file. Its fields exist once these run. */
export function openImportFixture(): ImportFixture {
  let folder = "";
  let memory: OpenedMemory;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "membus-import-"));
    memory = await openMemory({ data: join(folder, "data"), agent: "tests" });
  });
  afterAll(async () => {
    await memory.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get folder() {
      return folder;
    },
    get memory() {
      return memory;
    },
    async write(name, content) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
      return path;
    },
  };
}
