import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { lastLine } from "../../src/coding-agents/last-line.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "membus-log-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("returns the last line that was written after a place in the log", () => {
  const path = join(folder, "host.log");
  writeFileSync(path, "old\nnew\nthe port is in use\n");
  expect(lastLine(path, 4)).toBe("the port is in use");
  expect(lastLine(path, 27)).toBe("it wrote no log");
});

it("does not fail if the log was removed", () => {
  expect(lastLine(join(folder, "host.log"), 0)).toMatch(/^its log cannot be read: ENOENT/);
});
