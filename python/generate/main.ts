// What Python's client knows of the protocol: src/membus/_schema.py, written from protocol/schemas and the limits.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { LIMITS, PROTOCOL_VERSION, TIERS } from "@membus/protocol";
import { addMessage, addRecord, type Schema, TypedDicts } from "./typed-dicts.js";

const PROTOCOL = new URL("../../protocol/", import.meta.url);
const FILE = fileURLToPath(new URL("../src/membus/_schema.py", import.meta.url));

interface CatalogueRow {
  readonly code: string;
  readonly retryable: boolean;
  readonly when: string;
}

const OPERATIONS = ["store", "retrieve", "forget", "status", "list"];

const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(path, PROTOCOL), "utf8"));

/** The names of `*.json` in a folder, in their order. */
function schemasIn(folder: string): string[] {
  const names = readdirSync(new URL(folder, PROTOCOL)).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => name.slice(0, -".json".length));
}

function typedDicts(): string {
  const dicts = new TypedDicts();
  for (const name of schemasIn("schemas/")) addMessage(dicts, readJson(`schemas/${name}.json`) as Schema);
  for (const kind of schemasIn("schemas/records/")) {
    addRecord(dicts, kind, readJson(`schemas/records/${kind}.json`) as Schema);
  }
  return dicts.toString();
}

/** Names as Python's set has them, a line each. */
function fieldNames(definition: string, properties: Schema["properties"] = {}): string {
  return `    "${definition}": frozenset(${JSON.stringify(Object.keys(properties)).replaceAll(",", ", ")}),`;
}

function knownFields(): string[] {
  const requests = OPERATIONS.map((operation) => {
    const schema = readJson(`schemas/memory-${operation}-req.json`) as Schema;
    const name = `Memory${operation[0]!.toUpperCase()}${operation.slice(1)}Request`;
    return fieldNames(`memory/${operation}/req`, schema.$defs![name]!.properties);
  });
  const stored = (readJson("schemas/memory-store-req.json") as Schema).$defs!.StoreEntry!;
  const returned = (readJson("schemas/memory-retrieve-resp.json") as Schema).$defs!.MemoryEntry!;
  return [
    "# By message, and of entries as they are stored and as they are returned.",
    "FIELDS: dict[str, frozenset[str]] = {",
    ...requests,
    fieldNames("ping", (readJson("schemas/ping.json") as Schema).$defs!.Ping!.properties),
    fieldNames("stored", stored.properties),
    fieldNames("returned", returned.properties),
    "}",
  ];
}

function errorCodes(): string[] {
  const rows = readJson("spec/errors.json") as CatalogueRow[];
  return [
    "# Whether the same request may succeed later, by code.",
    "RETRYABLE: dict[str, bool] = {",
    ...rows.map(({ code, retryable }) => `    "${code}": ${retryable ? "True" : "False"},`),
    "}",
  ];
}

function limits(): string[] {
  const lines = Object.entries(LIMITS).map(([name, max]) => `    "${name}": ${max},`);
  return ["# protocol/spec/01-envelope.md, `Limits`.", "LIMITS: dict[str, int] = {", ...lines, "}"];
}

function source(): string {
  return [
    '"""The messages, entries and records of the protocol as types.',
    "",
    "Generated from protocol/schemas by `npm run generate`. Do not edit.",
    '"""',
    "",
    "from __future__ import annotations",
    "",
    "from typing import TYPE_CHECKING, Any, Literal, TypedDict",
    "",
    "if TYPE_CHECKING:",
    "    from typing_extensions import TypeAlias",
    "",
    `PROTOCOL_VERSION = "${PROTOCOL_VERSION}"`,
    `TIERS = (${TIERS.map((tier) => `"${tier}"`).join(", ")})`,
    "",
    ...limits(),
    "",
    ...errorCodes(),
    "",
    ...knownFields(),
    "",
    "",
    typedDicts(),
    "",
  ].join("\n");
}

/** Writes the file where it is stale, or with `--check` only says so and fails. */
function main(check: boolean): void {
  const current = source();
  let written = "";
  try {
    written = readFileSync(FILE, "utf8");
  } catch {
    // There is none yet.
  }
  if (written === current) return;
  process.stdout.write(`${check ? "stale" : "wrote"} ${relative(process.cwd(), FILE)}\n`);
  if (check) process.exitCode = 1;
  else writeFileSync(FILE, current);
}

main(process.argv.includes("--check"));
