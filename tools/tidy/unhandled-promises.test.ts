import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "./root.js";

const OXLINT = join(ROOT, "node_modules", "oxlint", "bin", "oxlint");

it("oxlint finds promises of Node.js and of own functions that are neither awaited nor handled", () => {
  const bad = ['rm("a");', "own();", "own().then(() => 1);", "own().finally(() => 1);"];
  const good = ["void own();", "await own();", "own().catch(() => 1);", "own().then(() => 1, () => 2);"];
  expect(linesFound([...bad, ...good])).toEqual(bad);
});

/** Returns the statements that oxlint finds in a file with the compiler options of the repository. */
function linesFound(statements: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "membus-promises-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const begin = 'import { rm } from "node:fs/promises";\nasync function own() {}\n';
  writeFileSync(join(folder, "example.ts"), begin + statements.join("\n"));
  const compilerOptions = { noUnusedLocals: false, typeRoots: [join(ROOT, "node_modules/@types")] };
  const config = { extends: join(ROOT, "tsconfig.base.json"), compilerOptions, include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const args = [OXLINT, "--type-aware", "--format=unix", "--config", join(ROOT, ".oxlintrc.json")];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  const lines = [...stdout.matchAll(/example\.ts:(\d+):/g)].map(([, line]) => Number(line));
  return lines.sort((a, b) => a - b).map((line) => statements[line - 3]!);
}
