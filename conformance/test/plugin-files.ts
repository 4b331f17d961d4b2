import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LRU = new URL("../../plugins/lru/dist/index.js", import.meta.url).href;
const LANCEDB = new URL("../../plugins/lancedb/dist/index.js", import.meta.url).href;

/** A plugin of its author's own, in one file: the real lru plugin, with `methods` over its methods. */
export function pluginSource(methods = "", before = ""): string {
  return `
import { createLruPlugin } from ${JSON.stringify(LRU)};
${before}
export function createPlugin() {
  const plugin = createLruPlugin();
  const over = { ${methods} };
  return new Proxy(plugin, {
    get(target, name) {
      const own = name in over ? over[name] : Reflect.get(target, name);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}
`;
}

/** For what runs the whole suite, perhaps beside much else. */
export const WHOLE_SUITE_MS = 300_000;

export const SOUND = pluginSource();

/** Keeps what it acknowledged: the real LanceDB plugin. */
export const DURABLE = `
import { createLanceDbPlugin } from ${JSON.stringify(LANCEDB)};
export const createPlugin = () => createLanceDbPlugin();
`;

/** Counts the page where all that match are to be counted. */
export const TOTAL_AFTER_LIMIT = pluginSource(`
  async onRetrieve(selector, request) {
    const result = await this.onRetrieve(selector, request);
    return { ...result, total: result.entries.length };
  },
`);

/** A folder of its own with these files, and the way to remove it. */
export function folderWith(files: Readonly<Record<string, string>>): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "membus-conformance-test-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
