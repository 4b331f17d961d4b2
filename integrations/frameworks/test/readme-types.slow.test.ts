import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const README = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const CONFIG = fileURLToPath(new URL("../../../tsconfig.tests.json", import.meta.url));

/** What a reader has before an example begins. */
const GIVEN: Readonly<Record<string, string>> = {
  "ai-sdk": 'declare const yourModel: Parameters<typeof wrapLanguageModel>[0]["model"];',
  langchain: 'declare const memory: import("@membus/agent-client").MemoryClient;',
  langgraph: [
    'import { Annotation, START, StateGraph } from "@langchain/langgraph";',
    "const schema = Annotation.Root({ said: Annotation<string> });",
    'const builder = new StateGraph(schema).addNode("note", () => ({})).addEdge(START, "note");',
  ].join("\n"),
};

const EXAMPLES = Object.fromEntries(
  [...README.matchAll(/<!-- example: (\S+) -->\n```ts\n([\s\S]+?)\n```/g)].map(([, name, code]) => [
    name!,
    `${GIVEN[name!] ?? ""}\n${code!}`,
  ]),
);

/** What the compiler says of texts of programs, by their names, as if they lay in this folder. */
function problemsOf(codes: Readonly<Record<string, string>>): Record<string, string[]> {
  const { options } = ts.getParsedCommandLineOfConfigFile(CONFIG, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (problem) => expect.fail(String(problem.messageText)),
  })!;
  const pathOf = (name: string) => fileURLToPath(new URL(`example-${name}.ts`, import.meta.url));
  const texts = new Map(Object.entries(codes).map(([name, code]) => [pathOf(name), code]));
  const host = ts.createCompilerHost({ ...options, noUnusedLocals: false });
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.getSourceFile = (path, version, ...more) => {
    const text = texts.get(path);
    return text === undefined
      ? getSourceFile(path, version, ...more)
      : ts.createSourceFile(path, text, version);
  };
  const program = ts.createProgram([...texts.keys()], { ...options, noUnusedLocals: false }, host);
  return Object.fromEntries(
    Object.keys(codes).map((name) => {
      const found = ts.getPreEmitDiagnostics(program, program.getSourceFile(pathOf(name)));
      return [name, found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))];
    }),
  );
}

it("the examples have the types of what is exported, and one that has not is found", () => {
  const wrong = 'import { MembusSession } from "@membus/integrations/openai-agents"; new MembusSession(1);';
  const { wrong: found, ...problems } = problemsOf({ ...EXAMPLES, wrong });
  expect(problems).toEqual({
    langgraph: [],
    langchain: [],
    anthropic: [],
    "openai-agents": [],
    "ai-sdk": [],
  });
  expect(found).toEqual([expect.stringContaining("'number' is not assignable")]);
});
