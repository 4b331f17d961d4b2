import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SessionJournal } from "../src/session/index.js";

let folder: string;
let journal: SessionJournal;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "membus-journal-"));
  journal = new SessionJournal(folder, "codex", "s-1");
});
afterEach(() => rmSync(folder, { recursive: true }));

const LONG = "a".repeat(100 * 1024);

it("takes no prompt and no edit into a full journal, but the steps that end a note", async () => {
  for (const text of [LONG, LONG, LONG]) await journal.append({ step: "prompt", text });
  await journal.append({ step: "edit", path: LONG });
  await journal.append({ step: "noted" }, { step: "fixed", command: "pnpm tset" });
  await journal.append({ step: "shown", ids: [LONG] });
  await journal.append({ step: "compacted" });
  expect((await journal.steps()).map(({ step }) => step)).toEqual([
    "prompt",
    "prompt",
    "noted",
    "fixed",
    "shown",
    "compacted",
  ]);
});

it("takes no step beyond one mebibyte", async () => {
  for (let count = 0; count < 12; count++) await journal.append({ step: "shown", ids: [LONG] });
  expect(await journal.steps()).toHaveLength(10);
});
