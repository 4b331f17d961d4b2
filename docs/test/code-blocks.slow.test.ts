import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";
import { programsIn } from "./code-blocks.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CONFIG = `${ROOT}tsconfig.json`;

const { workspaces } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as { workspaces: string[] };

const PAGES = [
  "README.md",
  ...workspaces.map((folder) => `${folder}/README.md`).filter((page) => existsSync(`${ROOT}${page}`)),
  ...readdirSync(`${ROOT}docs`, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.startsWith("."))
    .map((name) => `docs/${name}`),
];

/** The reader's own modules, which do not exist here. */
const OWN_MODULE = /^Cannot find module '\.\.\/dist\//;

/** All programs of the pages, by page and line. */
const PROGRAMS = Object.fromEntries(
  PAGES.flatMap((page) =>
    programsIn(readFileSync(`${ROOT}${page}`, "utf8")).map(({ line, code }) => [`${page}:${line}`, code]),
  ),
);

/** Returns the compiler's messages for programs, by their names, as if they were files of this folder. */
function messagesFor(codes: Readonly<Record<string, string>>): Record<string, string[]> {
  const { options } = ts.getParsedCommandLineOfConfigFile(CONFIG, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => expect.fail(String(messageText)),
  })!;
  const pathOf = (name: string) => `${ROOT}docs/test/${name.replace(/\W/g, "-")}.ts`;
  const texts = new Map(Object.entries(codes).map(([name, code]) => [pathOf(name), `${code}\nexport {};\n`]));
  const settings = { ...options, noUnusedLocals: false };
  const host = ts.createCompilerHost(settings);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.getSourceFile = (path, version, ...more) => {
    const text = texts.get(path);
    return text === undefined
      ? getSourceFile(path, version, ...more)
      : ts.createSourceFile(path, text, version);
  };
  const program = ts.createProgram([...texts.keys()], settings, host);
  return Object.fromEntries(
    Object.keys(codes).map((name) => {
      const found = ts.getPreEmitDiagnostics(program, program.getSourceFile(pathOf(name)));
      const messages = found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
      return [name, messages.filter((message) => !OWN_MODULE.test(message))];
    }),
  );
}

it("compiles every TypeScript program of the documentation, and finds one that is wrong", () => {
  const wrong = 'import { MembusSession } from "@membus/integrations/openai-agents"; new MembusSession(1);';
  const { wrong: found, ...messages } = messagesFor({ ...PROGRAMS, wrong });
  expect(Object.keys(messages).length).toBeGreaterThan(25);
  expect(Object.fromEntries(Object.entries(messages).filter(([, list]) => list.length > 0))).toEqual({});
  expect(found).toEqual([expect.stringContaining("'number' is not assignable")]);
});
