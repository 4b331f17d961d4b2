// Generates the Python client's _schema.py from protocol/schemas and the limits, and the synchronous classes from those
// for asyncio.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { LIMITS, PROTOCOL_VERSION, TIERS } from "@membus/protocol";
import { promptSource } from "./prompts.js";
import { layeredClasses, syncClient } from "./sync-client.js";
import { addMessage, addRecord, type Schema, TypedDicts } from "./typed-dicts.js";

const PROTOCOL = new URL("../../protocol/", import.meta.url);
const AGENTIC = new URL("../../agentic/prompts/", import.meta.url);
const CLIENT = new URL("../src/membus/", import.meta.url);

interface CatalogueRow {
  readonly code: string;
  readonly retryable: boolean;
  readonly when: string;
}

const OPERATIONS = ["store", "retrieve", "forget", "status", "list"];

const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(path, PROTOCOL), "utf8"));

/** Returns the names of `*.json` files in a folder, sorted. */
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

/** Returns a line of a Python dict with a set of names. */
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
    "# Known fields by message, and the fields of stored and of returned entries.",
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
    "# Whether a retry of the same request may succeed, by error code.",
    "RETRYABLE: dict[str, bool] = {",
    ...rows.map(({ code, retryable }) => `    "${code}": ${retryable ? "True" : "False"},`),
    "}",
  ];
}

function limits(): string[] {
  const lines = Object.entries(LIMITS).map(([name, max]) => `    "${name}": ${max},`);
  return ["# protocol/spec/01-envelope.md, `Limits`.", "LIMITS: dict[str, int] = {", ...lines, "}"];
}

function schemaSource(): string {
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

/** Updates a file of the client. With `check`, only reports a stale file and sets the exit code to 1. */
function update(name: string, current: string, check: boolean): void {
  const file = fileURLToPath(new URL(name, CLIENT));
  let written = "";
  try {
    written = readFileSync(file, "utf8");
  } catch {
    // The file does not exist yet.
  }
  if (written === current) return;
  process.stdout.write(`${check ? "stale" : "wrote"} ${relative(process.cwd(), file)}\n`);
  if (check) process.exitCode = 1;
  else writeFileSync(file, current);
}

const readClient = (name: string) => readFileSync(new URL(name, CLIENT), "utf8");

/** The asyncio classes over a client with a synchronous form. */
const LAYERED = [
  { module: "conversation", name: "AsyncConversation" },
  { module: "context", name: "AsyncContextWindow" },
  { module: "long_term", name: "AsyncLongTermMemory" },
  { module: "memory", name: "AsyncMemory" },
].map(({ module, name }) => ({ name, source: readClient(`${module}.py`) }));

const isCheck = process.argv.includes("--check");
update("_schema.py", schemaSource(), isCheck);
update("sync.py", syncClient(readClient("aio.py")), isCheck);
update("sync_memory.py", layeredClasses(LAYERED), isCheck);
update(
  "_prompts.py",
  promptSource((name) => readFileSync(new URL(`${name}.txt`, AGENTIC), "utf8")),
  isCheck,
);
