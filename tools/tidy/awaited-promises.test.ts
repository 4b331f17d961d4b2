import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { expect, it, onTestFinished } from "vitest";
import { SOURCES } from "./repository.js";
import { ROOT } from "./root.js";
import { checkAwaitedPromises } from "./rules/awaited-promises.js";

it("all files handle their promises", () => {
  const paths = SOURCES.map(({ fileName }) => join(ROOT, fileName)).filter((path) => path.endsWith(".ts"));
  const { options } = ts.getParsedCommandLineOfConfigFile(join(ROOT, "tsconfig.tests.json"), undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (problem) => expect.fail(String(problem.messageText)),
  })!;
  const findings = check(paths, options).map((finding) => finding.replace(ROOT, ""));
  expect(findings).toEqual([]);
});

it("finds promises that are neither awaited nor handled", () => {
  const declarations = [
    "declare function f(): Promise<void>;",
    "declare const a: { f?: typeof f };",
    "declare function schema(): { then: object };",
  ].join(" ");
  const found = ["f();", "a.f?.();", "a && f();", "f().then(() => 1);", "f().finally(() => 1);"];
  const allowed = [
    "await f();",
    "void f();",
    "f().catch(() => 1);",
    "f().then(() => 1, () => 2);",
    "x = f();",
    "schema();",
  ];
  const code = [...found, ...allowed].join("\n");
  const findings = checkExample(`export {}; let x; ${declarations}\n${code}`);
  const lines = findings.map((finding) => Number(/:(\d+) unhandled promise/.exec(finding)?.[1]) - 1);
  expect(lines.map((line) => found[line - 1])).toEqual(found);
});

function checkExample(code: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), "membus-promises-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "example.ts");
  writeFileSync(path, code);
  return check([path], { target: ts.ScriptTarget.ES2022, types: [], strict: true });
}

function check(paths: readonly string[], options: ts.CompilerOptions): string[] {
  const program = ts.createProgram(paths, options);
  const checker = program.getTypeChecker();
  return paths.flatMap((path) => checkAwaitedPromises(program.getSourceFile(path)!, checker));
}
