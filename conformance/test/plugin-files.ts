import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LRU = new URL("../../plugins/lru/dist/index.js", import.meta.url).href;
const LANCEDB = new URL("../../plugins/lancedb/dist/index.js", import.meta.url).href;
const LANGUAGES = new URL("../../plugins/languages/dist/index.js", import.meta.url).href;

/** Returns the source of a plugin in one file: the real lru plugin, small and with replaced `methods`. */
export function pluginSource(methods = "", before = ""): string {
  return `
import { createLruPlugin } from ${JSON.stringify(LRU)};
${before}
export function createPlugin() {
  const plugin = createLruPlugin({ scopeEntriesMax: 3000 });
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

export const SOUND = pluginSource();

/** A plugin that keeps acknowledged entries: the real LanceDB plugin. */
export const DURABLE = `
import { createLanceDbPlugin } from ${JSON.stringify(LANCEDB)};
import { createMultilingualAnalyzer } from ${JSON.stringify(LANGUAGES)};
export const createPlugin = () => createLanceDbPlugin({ analyzer: createMultilingualAnalyzer() });
`;

/** A plugin that counts the page instead of all matches. */
export const TOTAL_AFTER_LIMIT = pluginSource(`
  async onRetrieve(selector, request) {
    const result = await this.onRetrieve(selector, request);
    return { ...result, total: result.entries.length };
  },
`);

/** Creates a separate folder with these files. `remove` deletes it. */
export function folderWith(files: Readonly<Record<string, string>>): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "membus-conformance-test-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
