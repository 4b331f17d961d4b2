import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { OPENAI_EMBEDDER_DEFAULTS, STATIC_EMBEDDER_DEFAULTS } from "../src/index.js";

/** The `@default` of each optional option that `file` documents, by name. */
function documentedDefaults(file: string): Record<string, unknown> {
  const source = readFileSync(new URL(`../src/${file}`, import.meta.url), "utf8");
  const documented = source.matchAll(/@default (.+)\n +\*\/\n +readonly (\w+)\?:/g);
  return Object.fromEntries([...documented].map(([, value, name]) => [name, JSON.parse(value!)]));
}

it.each([
  ["static/static-embedder.ts", STATIC_EMBEDDER_DEFAULTS],
  ["openai/openai-options.ts", OPENAI_EMBEDDER_DEFAULTS],
])("the defaults documented in %s are the ones in force", (file, defaults) => {
  expect(documentedDefaults(file)).toEqual(defaults);
});
