import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as client from "@membus/agent-client";
import { expect, it } from "vitest";
import { Conversation } from "../src/conversation/index.js";
import * as agentic from "./every-export.js";

const TABLES = readFileSync(new URL("../../docs/guides/coming-from.md", import.meta.url), "utf8");

/** The exports as values. `Conversation` is exported only as a type, although it is a class. */
const EXPORTS: Readonly<Record<string, unknown>> = { ...client, ...agentic, Conversation };

/** Names that code may mention although they are neither exports nor methods. */
const WORDS = ["subject", "tier", "memory", "onEvent", "tokenCounter", "asOf", "update", "npx membus export"];

const SOURCES = ["../src", "../../agent-client/src", "../../bus/src", "../../protocol/src/messages"]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(`${folder}/${name}`, "utf8")),
  )
  .join("\n");

/** Returns the right column of every table. */
function rightCells(text: string): string[] {
  const rows = text.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("|---"));
  return rows.map(
    (row) => / \| ((?:`[^`]*`|[^`|])*) \|$/.exec(row)?.[1] ?? `row without a right column: ${row}`,
  );
}

const codeIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);

/** Returns the names in braces, inside code and next to it. */
const optionsIn = (cell: string) =>
  [...cell.matchAll(/\{ ([\w, ]+) \}/g)].flatMap(([, names]) => names!.split(", "));

/** Returns the problem of a piece of code that names a missing export or member, or undefined. */
function problemOf(code: string): string | undefined {
  const [, name = "", member] = /^(\w+)(?:\.(\w+))?(?:\([^()]*\))?$/.exec(code) ?? [];
  if (WORDS.includes(code)) return undefined;
  const found = EXPORTS[name];
  if (found === undefined) return `${code}: not exported`;
  if (member === undefined) return undefined;
  const { prototype } = found as { prototype?: object };
  const isMember = prototype !== undefined && (member in prototype || member in (found as object));
  return isMember ? undefined : `${code}: ${name} has no ${member}`;
}

const isOption = (name: string) => new RegExp(`\\b${name}\\??: `).test(SOURCES);

it("names only existing exports and members in the right column", () => {
  const cells = rightCells(TABLES);
  expect(cells.length).toBeGreaterThan(120);
  expect(cells.filter((cell) => cell.startsWith("row without a right column"))).toEqual([]);
  expect(cells.flatMap(codeIn).flatMap((code) => problemOf(code) ?? [])).toEqual([]);
});

it("names only existing options", () => {
  const options = rightCells(TABLES).flatMap(optionsIn);
  expect(options.length).toBeGreaterThan(50);
  expect(options.filter((name) => !isOption(name))).toEqual([]);
});

it("detects a name that does not exist", () => {
  expect(problemOf("LongTermMemory.retrieve(query)")).toBeUndefined();
  expect(problemOf("LongTermMemory.search(query)")).toBe(
    "LongTermMemory.search(query): LongTermMemory has no search",
  );
  expect(problemOf("attachMemories")).toBe("attachMemories: not exported");
  expect(rightCells("| `a` | `b` (`c(d)`), { e, f } |")).toEqual(["`b` (`c(d)`), { e, f }"]);
  expect(optionsIn("`b({ e, f })`")).toEqual(["e", "f"]);
  expect(isOption("noSuchOption")).toBe(false);
});
