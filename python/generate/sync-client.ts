const AIO_IMPORT = /^from \._schema import \(\n([\s\S]*?)\n\)$/m;
const LINE_LENGTH_MAX = 130;

/** Replacements from the text of the asyncio client to the text of the synchronous client. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/\bAsyncMemoryClient\b/g, "MemoryClient"],
  [/\bAsyncAgentMemory\b/g, "AgentMemory"],
  [/\bAsyncWatch\b/g, "Watch"],
  [/\bAsync(Memory|LongTermMemory|Conversation|ContextWindow)\b/g, "$1"],
  [/\bAsyncIterator\b/g, "Iterator"],
  [/\b__aenter__\b/g, "__enter__"],
  [/\b__aexit__\b/g, "__exit__"],
  [/\basync with await /g, "with "],
  [/\basync def /g, "def "],
];

const HEADER = `"""The memory of an agent, for programs with threads. The methods run in a separate thread.

    with membus.connect(agent="alice") as memory:
        memory.remember("user_name", "Alice", tags=["identity"])
        print(memory.recall("user_name"))

Generated from aio.py by \`npm run generate\`. Do not edit.
"""

from __future__ import annotations

`;

const MEMORY_INIT = `    def __init__(self, thread: LoopThread, memory: aio.AsyncAgentMemory) -> None:
        self._thread = thread
        self._memory = memory
`;

const CLIENT_METHODS = `    def __init__(self, thread: LoopThread, client: aio.AsyncMemoryClient) -> None:
        super().__init__(thread, client)
        self._client = client

    def close(self) -> None:
        DOCSTRING
        try:
            self._thread.run(self._client.close())
        except UnavailableError:
            return
        self._thread.stop()

    def __enter__(self) -> MemoryClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
`;

/** A function of the asyncio client. */
interface PythonFunction {
  readonly name: string;
  readonly isProperty: boolean;
  readonly isAsync: boolean;
  /** The lines from `def` to the colon. */
  readonly signature: string;
  /** The docstring with its quotes, or "". */
  readonly docstring: string;
}

/** Returns the source of sync.py, generated from the source of aio.py. */
export function syncClient(aio: string): string {
  const memory = functionsOf(classBody(aio, "AsyncAgentMemory"), "    ").filter(isPublic);
  const client = functionsOf(classBody(aio, "AsyncMemoryClient"), "    ");
  const [connect] = functionsOf(aio, "").filter(({ name }) => name === "connect");
  const code = [
    `class AgentMemory:\n    ${toSync(classDocstring(aio, "AsyncAgentMemory"))}\n`,
    [MEMORY_INIT, ...memory.map(method)].join("\n"),
    `\nclass MemoryClient(AgentMemory):\n    ${toSync(classDocstring(aio, "AsyncMemoryClient"))}\n`,
    CLIENT_METHODS.replace("DOCSTRING", client.find(({ name }) => name === "close")!.docstring),
    `\n${connectFunction(connect!)}`,
  ].join("\n");
  return `${HEADER}${imports(aio, code)}\n\n\n${code}`;
}

/** An asyncio class over a client, and the source of its module. */
interface LayeredClass {
  readonly name: string;
  readonly source: string;
}

const LAYERED_HEADER = `"""Memory, LongTermMemory, Conversation and ContextWindow for programs with threads.

Generated from the modules of the asyncio classes by \`npm run generate\`. Do not edit.
"""

from __future__ import annotations

`;

/** Names that signatures of the classes use, by module. */
const LAYERED_TYPES: readonly (readonly [string, readonly string[]])[] = [
  ["typing", ["Any", "Iterable", "Mapping", "Sequence"]],
  ["._budget", ["Budget"]],
  ["._chat_model", ["ChatModel"]],
  ["._forget_user", ["ForgottenUser"]],
  ["._memories", ["LongTermItem", "Recall", "RecordOutcome", "estimate_tokens"]],
  ["._schema", ["MemoryTier"]],
  [".context", ["AsyncContextWindow", "CountTokens", "Message"]],
  [".conversation", ["AsyncConversation", "ConversationMessage", "NewMessages"]],
  [".long_term", ["RECALLED_KINDS", "AsyncLongTermMemory", "Recordable"]],
  [".memory", ["AddedToMemory", "AsyncMemory", "MemoryInput"]],
  [".sync", ["AgentMemory"]],
];

/**
 * Returns the source of synchronous classes. The first argument of each constructor is a synchronous client or
 * conversation. Its thread runs the asyncio class.
 */
export function layeredClasses(classes: readonly LayeredClass[]): string {
  const code = classes.map(layeredClass).join("\n\n");
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(code);
  const imports = LAYERED_TYPES.flatMap(([module, names]) => {
    const used = names.filter(isUsed);
    const end = module === "typing" ? "\n" : "";
    return used.length === 0 ? [] : [`from ${module} import ${used.join(", ")}${end}`];
  });
  return `${LAYERED_HEADER}${imports.join("\n")}\n\n\n${code}`;
}

function layeredClass({ name, source }: LayeredClass): string {
  const functions = functionsOf(classBody(source, name), "    ");
  const init = functions.find((one) => one.name === "__init__")!;
  const [first, ...others] = argumentsOf(init.signature);
  const args = [`${first}._memory`, ...others];
  const line = `${name}(${args.join(", ")})`;
  const call = line.length < 100 ? line : `${name}(\n            ${args.join(",\n            ")},\n        )`;
  return [
    `class ${toSync(name)}:`,
    `    ${toSync(classDocstring(source, name))}`,
    "",
    `    ${toSync(init.signature)}`,
    ...(init.docstring === "" ? [] : [`        ${toSync(init.docstring)}`]),
    `        self._thread = ${first}._thread`,
    `        self._memory = ${call}`,
    "",
    ...functions.filter(isPublic).map(method),
  ].join("\n");
}

function imports(aio: string, code: string): string {
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(code);
  const typing = ["Any", "Iterable", "Iterator", "Literal", "Mapping", "Sequence"].filter(isUsed);
  const schema = AIO_IMPORT.exec(aio)![1]!
    .split("\n")
    .filter((line) => isUsed(line.trim().slice(0, -1)));
  return [
    `from typing import ${["TYPE_CHECKING", ...typing].sort(byPythonOrder).join(", ")}`,
    "",
    "from . import aio",
    "from ._loop_thread import LoopThread, Watch",
    `from ._schema import (\n${schema.join("\n")}\n)`,
    "from ._store import StoreResult",
    "from .errors import UnavailableError",
    "",
    "if TYPE_CHECKING:",
    "    from typing_extensions import Unpack",
  ].join("\n");
}

/** Sorts constants before classes, as isort does. */
function byPythonOrder(a: string, b: string): number {
  return Number(b === b.toUpperCase()) - Number(a === a.toUpperCase()) || (a < b ? -1 : 1);
}

function method({ name, isProperty, isAsync, signature, docstring }: PythonFunction): string {
  const target = `self._memory.${name}`;
  const call = isProperty ? target : callOf(target, argumentsOf(signature), 8);
  return [
    ...(isProperty ? ["    @property"] : []),
    `    ${toSync(signature)}`,
    ...(docstring === "" ? [] : [`        ${toSync(docstring)}`]),
    `        return ${isProperty ? call : wrapped(signature, isAsync, call)}`,
    "",
  ].join("\n");
}

function wrapped(signature: string, isAsync: boolean, call: string): string {
  if (signature.includes("-> AsyncIterator[")) return `self._thread.iterate(${call})`;
  if (!isAsync) return `AgentMemory(self._thread, ${call})`;
  if (signature.includes("-> AsyncWatch:")) return `Watch(self._thread, self._thread.run(${call}))`;
  return `self._thread.run(${call})`;
}

function connectFunction({ signature, docstring }: PythonFunction): string {
  const call = callOf("aio.connect", argumentsOf(signature), 8);
  return `${toSync(signature)}
    ${toSync(docstring)}
    thread = LoopThread()
    try:
        client = thread.run(${call})
        return MemoryClient(thread, client)
    except BaseException:
        thread.stop()
        raise
`;
}

/** Returns a call, on several lines if it would be too long with its wrapper. */
function callOf(target: string, args: readonly string[], indent: number): string {
  const line = `${target}(${args.join(", ")})`;
  if (indent + line.length + "return self._thread.iterate()".length <= LINE_LENGTH_MAX) return line;
  const pad = " ".repeat(indent);
  return `\n${pad}    ${target}(\n${pad}        ${args.join(`,\n${pad}        `)},\n${pad}    )\n${pad}`;
}

/** Returns the arguments that forward the parameters of a function, keyword-only ones by name. */
function argumentsOf(signature: string): string[] {
  const list = signature.slice(signature.indexOf("(") + 1, signature.lastIndexOf(")"));
  const parameters = splitTopLevel(list).filter((parameter) => parameter !== "self");
  const keywordsAt = parameters.indexOf("*");
  return parameters.flatMap((parameter, index) => {
    const name = /^\**\w*/.exec(parameter)![0];
    if (name === "*") return [];
    return keywordsAt >= 0 && index > keywordsAt && !name.startsWith("*") ? [`${name}=${name}`] : [name];
  });
}

/** Splits a parameter list at its commas outside of brackets and strings. */
function splitTopLevel(list: string): string[] {
  const parts: string[] = [""];
  let depth = 0;
  let isString = false;
  for (const character of list) {
    if (character === '"') isString = !isString;
    if (!isString && "([{".includes(character)) depth++;
    if (!isString && ")]}".includes(character)) depth--;
    if (character === "," && depth === 0 && !isString) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function isPublic({ name }: PythonFunction): boolean {
  return !name.startsWith("_");
}

/** Returns the indented lines of a class. */
function classBody(source: string, name: string): string {
  const body = new RegExp(`^class ${name}\\b[^\\n]*:\\n((?:(?: {4}[^\\n]*)?\\n)*)`, "m").exec(source);
  if (body === null) throw new Error(`aio.py has no class ${name}`);
  return body[1]!;
}

function classDocstring(source: string, name: string): string {
  return /"""[\s\S]*?"""/.exec(classBody(source, name))![0];
}

/** Returns the functions at an indentation. */
function functionsOf(source: string, indent: string): PythonFunction[] {
  const pattern = new RegExp(
    `^(${indent}@property\\n)?${indent}(async )?(def (\\w+)\\([\\s\\S]*?\\) -> [^\\n]+:)\\n\\s*("""[\\s\\S]*?""")?`,
    "gm",
  );
  return [...source.matchAll(pattern)].map(([, property, async, signature, name, docstring]) => ({
    name: name!,
    isProperty: property !== undefined,
    isAsync: async !== undefined,
    signature: signature!,
    docstring: docstring ?? "",
  }));
}

function toSync(text: string): string {
  return REPLACEMENTS.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}
