import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EntryInput, MemoryClient, StoreOptions, StoreResult } from "@membus/agent-client";
import { expect, it } from "vitest";
import { openSource } from "../../src/import/foreign-format.js";
import { importSource } from "../../src/import/import-source.js";
import { openImportFixture } from "./import-fixture.js";

const fixture = openImportFixture();

async function run(client: MemoryClient, path: string, from?: string) {
  const options = { defaults: { tier: "episodic" }, bus: "test", onProgress: () => {} };
  return importSource(client, await openSource(path, { from }), options);
}

/** Records the request ids of the client, and answers its first store with a failure of the second entry. */
function failingOnce(client: MemoryClient, ids: (string | undefined)[]): MemoryClient {
  const store = async (entries: readonly EntryInput[], options: StoreOptions): Promise<StoreResult> => {
    ids.push(options.id);
    if (ids.length > 1) return client.store(entries, { ...options, partial: true });
    const result = await client.store(entries.slice(0, 1), { ...options, partial: true });
    const error = { index: 1, key: null, code: "unavailable", message: "the disk is full", detail: {} };
    return { ...result, errors: [{ ...error, retryable: true }] };
  };
  return new Proxy(client, {
    get(target, name) {
      if (name === "store") return store;
      const own: unknown = Reflect.get(target, name);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

it("ends an import that the host cannot store now, and continues with a new request", async () => {
  const path = join(fixture.folder, "entries.jsonl");
  writeFileSync(path, '{"key":"one","content":1}\n{"key":"two","content":2}\n');
  const ids: (string | undefined)[] = [];
  const client = failingOnce(fixture.memory.client, ids);
  await expect(run(client, path)).rejects.toThrow(
    "line 2 is not stored: the disk is full. Import again to continue",
  );
  expect(await run(client, path)).toMatchObject({ items: 2, stored: 1, unchanged: 1, failed: {} });
  expect(new Set(ids).size).toBe(2);
});

it("starts again if the interrupted import had another order of items", async () => {
  const path = join(fixture.folder, "earlier.jsonl");
  writeFileSync(path, '{"key":"tea","content":1}\n{"key":"milk","content":2}\n');
  await run(fixture.memory.client, path);
  const saved = `${path}.membus-import`;
  const { source, ...progress } = JSON.parse(readFileSync(saved, "utf8"));
  const { order: _, ...earlier } = source;
  writeFileSync(saved, JSON.stringify({ ...progress, source: earlier, items: 1, stored: 1 }));
  expect(await run(fixture.memory.client, path)).toMatchObject({ items: 2, stored: 0, unchanged: 2 });
});

it("rejects only the entry with an invalid namespace", async () => {
  const notes = join(fixture.folder, "notes");
  mkdirSync(notes);
  for (const [name, namespace] of Object.entries({ good: "notes/tea", bad: "notes//tea" })) {
    const front = { key: { name }, tier: "episodic", namespace, content: "string" };
    writeFileSync(join(notes, `${name}.md`), `---\nmembus: ${JSON.stringify(front)}\n---\ntea\n`);
  }
  const report = await run(fixture.memory.client, notes, "markdown");
  expect(report).toMatchObject({ items: 2, stored: 1, failed: { schema_violation: 1 } });
  expect(report.examples.schema_violation).toMatchObject({ file: "notes/bad.md", line: 1 });
});
