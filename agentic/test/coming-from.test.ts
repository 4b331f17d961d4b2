import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as client from "@membus/agent-client";
import { expect, it } from "vitest";
import { Conversation } from "../src/conversation/index.js";
import * as agentic from "../src/index.js";

const TABLES = readFileSync(new URL("../COMING-FROM.md", import.meta.url), "utf8");

/** What the package exports as a type alone is a class all the same: `openConversation` makes one. */
const EXPORTS: Readonly<Record<string, unknown>> = { ...client, ...agentic, Conversation };

/** What may be said of a memory in code that is neither exported nor a method. */
const WORDS = ["about", "tier", "memory", "onEvent", "tokenCounter", "asOf", "update", "npx membus export"];

const SOURCES = ["../src", "../../agent-client/src", "../../protocol/src/messages"]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(`${folder}/${name}`, "utf8")),
  )
  .join("\n");

/** The right column of every table. */
function rightCells(text: string): string[] {
  const rows = text.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("|---"));
  return rows.map((row) => / \| ((?:`[^`]*`|[^`|])*) \|$/.exec(row)?.[1] ?? `no right column: ${row}`);
}

const codeIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);

/** Names in braces, in code and beside it. */
const optionsIn = (cell: string) =>
  [...cell.matchAll(/\{ ([\w, ]+) \}/g)].flatMap(([, names]) => names!.split(", "));

/** Why a piece of code says something that there is not; undefined where there is. */
function problemOf(code: string): string | undefined {
  const [, name = "", member] = /^(\w+)(?:\.(\w+))?(?:\([^()]*\))?$/.exec(code) ?? [];
  if (WORDS.includes(code)) return undefined;
  const found = EXPORTS[name];
  if (found === undefined) return `${code}: nothing is exported as that`;
  if (member === undefined) return undefined;
  const { prototype } = found as { prototype?: object };
  const isMember = prototype !== undefined && (member in prototype || member in (found as object));
  return isMember ? undefined : `${code}: ${name} has no ${member}`;
}

const isOption = (name: string) => new RegExp(`\\b${name}\\??: `).test(SOURCES);

it("names on the right what is exported, and what members of these classes are", () => {
  const cells = rightCells(TABLES);
  expect(cells.length).toBeGreaterThan(120);
  expect(cells.filter((cell) => cell.startsWith("no right column"))).toEqual([]);
  expect(cells.flatMap(codeIn).flatMap((code) => problemOf(code) ?? [])).toEqual([]);
});

it("names only options that there are", () => {
  const options = rightCells(TABLES).flatMap(optionsIn);
  expect(options.length).toBeGreaterThan(50);
  expect(options.filter((name) => !isOption(name))).toEqual([]);
});

it("would find a name that there is not", () => {
  expect(problemOf("LongTermMemory.retrieve(query)")).toBeUndefined();
  expect(problemOf("LongTermMemory.search(query)")).toBe(
    "LongTermMemory.search(query): LongTermMemory has no search",
  );
  expect(problemOf("attachMemories")).toBe("attachMemories: nothing is exported as that");
  expect(rightCells("| `a` | `b` (`c(d)`), { e, f } |")).toEqual(["`b` (`c(d)`), { e, f }"]);
  expect(optionsIn("`b({ e, f })`")).toEqual(["e", "f"]);
  expect(isOption("noSuchOption")).toBe(false);
});
