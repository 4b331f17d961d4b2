import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { OpenedMemory } from "../../src/index.js";
import { ExportFixture, exportTo, importFrom } from "./export-fixture.js";

let fixture: ExportFixture;
let empty: OpenedMemory;
let lines: string[];

beforeAll(async () => {
  fixture = await ExportFixture.create();
  const { client } = await fixture.host("source");
  empty = await fixture.host("empty");
  await client.store(
    [1, 2, 3].map((n) => ({ key: `entry ${n}`, content: n, tier: "episodic" as const, occurred_at: n })),
  );
  await exportTo(client, fixture.path("good.jsonl"));
  lines = readFileSync(fixture.path("good.jsonl"), "utf8").split("\n").slice(0, -1);
});

afterAll(() => fixture.stop());

it.each<[string, (lines: string[]) => string, string]>([
  ["without its end", (all) => `${all.slice(0, 3).join("\n")}\n`, "line 3: the end of the export is missing"],
  ["cut within a line", (all) => all.slice(0, 3).join("\n").slice(0, -5), "line 3: not valid JSON"],
  ["with an edited entry", edited, "line 5: the checksum differs, so one of the lines 1 to 4 was changed"],
  ["with a line less", (all) => all.toSpliced(2, 1).join("\n"), "line 4: the export has 3 episodic entries"],
  ["with a line more", (all) => [...all, all[1]].join("\n"), "line 6: follows the end of the export"],
  ["with swapped lines", (all) => [0, 2, 1, 3, 4].map((at) => all[at]).join("\n"), "line 5: the checksum"],
  ["with a broken line", (all) => all.with(1, "{").join("\n"), "line 2: not valid JSON"],
  ["with a list as a line", (all) => all.with(1, "[]").join("\n"), "line 2: not a JSON object"],
  [
    "without its first line",
    (all) => all.slice(1).join("\n"),
    "line 1: the first line of this export is missing",
  ],
  [
    "with a byte order mark",
    (all) => `\ufeff${all.join("\n")}\n`,
    "line 1: the first line of this export is",
  ],
  ["of another version", newer, "line 1: format version 2 is not supported, this membus reads version 1"],
  ["with an entry without tier", untiered, "line 2: has no valid tier"],
  [
    "with a broken manifest",
    (all) => all.with(0, '{"format":"membus-export","format_version":1}').join("\n"),
    "line 1: the manifest is invalid: time: ",
  ],
])("refuses a file %s, and stores nothing", async (_damage, damage, message) => {
  const path = fixture.path("damaged.jsonl");
  writeFileSync(path, damage(lines));
  await expect(importFrom(empty.client, path)).rejects.toThrow(`${path}, ${message}`);
  const { total } = await empty.client.retrieve({ tier: "episodic", limit: 0 });
  expect(total).toBe(0);
});

function edited(all: string[]): string {
  return all.with(2, all[2]!.replace('"content":2', '"content":9')).join("\n");
}

function newer(all: string[]): string {
  return all.with(0, all[0]!.replace('"format_version":1', '"format_version":2')).join("\n");
}

function untiered(all: string[]): string {
  return all.with(1, all[1]!.replace('"tier":"episodic"', '"tier":"other"')).join("\n");
}
