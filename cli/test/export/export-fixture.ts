import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MemoryClient } from "@membus/agent-client";
import { exportWriter, runExport } from "../../src/export/run-export.js";
import { openSource } from "../../src/import/foreign-format.js";
import { clearProgress } from "../../src/import/import-progress.js";
import { importSource } from "../../src/import/import-source.js";
import { type OpenedMemory, openMemory } from "../../src/index.js";

/** A folder with several hosts in this process, each with LanceDB in an empty data folder. */
export class ExportFixture {
  readonly #opened: OpenedMemory[] = [];

  private constructor(readonly folder: string) {}

  static async create(): Promise<ExportFixture> {
    return new ExportFixture(await mkdtemp(join(tmpdir(), "membus-export-")));
  }

  async host(name: string, agent = "tests"): Promise<OpenedMemory> {
    const memory = await openMemory({ data: join(this.folder, name), agent });
    this.#opened.push(memory);
    return memory;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  lines(name: string): Record<string, unknown>[] {
    const text = readFileSync(this.path(name), "utf8");
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  }

  async stop(): Promise<void> {
    for (const memory of this.#opened) await memory.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

type Selection = Partial<Parameters<typeof runExport>[1]>;

export function exportTo(client: MemoryClient, file: string, selection: Selection = {}) {
  return runExport(client, { criteria: {}, write: exportWriter(file), ...selection });
}

export async function importFrom(client: MemoryClient, path: string, from?: string, asAuthors = false) {
  const source = await openSource(path, { from });
  const report = await importSource(client, source, {
    defaults: { tier: "episodic" },
    bus: "test",
    asAuthors,
    onProgress: () => {},
  });
  await clearProgress(path);
  return report;
}
