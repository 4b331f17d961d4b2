import { expect, it } from "vitest";
import type { ImportItem } from "../../src/import/import-item.js";
import { readLines } from "../../src/import/read-lines.js";
import { openImportFixture } from "./import-fixture.js";

const fixture = openImportFixture();

it("reads one entry per line, also with separators of Unicode in its texts and a byte order mark", async () => {
  const path = await fixture.write("lines.jsonl", '\ufeff{"key":"a\u2028b"}\r\n\n{"key":1}\n{"key":"a\rb"}');
  const items: ImportItem[] = [];
  for await (const item of readLines(path)) items.push(item);
  expect(items.map(({ line, bytes, entry }) => [line, bytes, entry])).toEqual([
    [1, 20, { key: "a\u2028b" }],
    [3, 10, { key: 1 }],
    [4, 13, undefined],
  ]);
  expect(items[2]?.problem).toMatch(/^not valid JSON: /);
});
