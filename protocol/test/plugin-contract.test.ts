import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { MemoryPlugin } from "../src/plugin/index.js";

const read = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");

/** Returns the lines of the interface in a text, without comments and indentation. */
function interfaceIn(text: string): string[] {
  const body = /interface MemoryPlugin \{\n([^}]*)\n\}/.exec(text)![1]!;
  const isCode = (line: string) => !/^(\/\*\*|\*)/.test(line);
  return body
    .split("\n")
    .map((line) => line.trim())
    .filter(isCode);
}

it("is printed in chapter 5", () => {
  const members = interfaceIn(read("../src/plugin/plugin.ts"));
  expect(members).toHaveLength(13);
  expect(interfaceIn(read("../spec/05-plugin.md"))).toEqual(members);
});

it("requires `onStatus` (clause PLUG-15)", () => {
  const { manifest, onStore, onRetrieve, onForget } = {} as MemoryPlugin;
  // @ts-expect-error: it lacks `onStatus`
  const plugin: MemoryPlugin = { manifest, onStore, onRetrieve, onForget };
  expect(plugin).not.toHaveProperty("onStatus");
});
