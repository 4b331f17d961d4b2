import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { withSection } from "../../protocol/generate/marked-section.js";
import { optionTable } from "./option-table.js";

const FILE = fileURLToPath(new URL("../../docs/reference/settings.md", import.meta.url));

/**
 * Sections of `membus.yaml` that are options of a package. Options in `leftOut` have separate settings.
 */
const SECTIONS = [
  {
    name: "host",
    path: "host/src/options.ts",
    options: "HostOptions",
    leftOut: ["prefix", "tenants", "rules", "rates"],
  },
  { name: "lru", path: "plugins/lru/src/lru-options.ts", options: "LruOptions", leftOut: [] },
  { name: "kit", path: "plugins/kit/src/kit-options.ts", options: "KitOptions", leftOut: [] },
  {
    name: "log",
    path: "plugins/disk/src/log/file-log-options.ts",
    options: "FileLogOptions",
    leftOut: ["durability", "nextSeqMin", "repair"],
  },
  {
    name: "storage",
    path: "plugins/lancedb/src/lance-storage-options.ts",
    options: "LanceStorageOptions",
    leftOut: [],
  },
];

function withTables(markdown: string): string {
  return SECTIONS.reduce((text, { name, path, options, leftOut }) => {
    const code = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
    const source = ts.createSourceFile(path, code, ts.ScriptTarget.ES2022, true);
    return withSection(text, name, optionTable(source, options, leftOut));
  }, markdown);
}

/**
 * Updates the tables of SETTINGS.md. With `--check`, only reports stale tables and sets the exit code to 1.
 */
function main(check: boolean): void {
  const markdown = readFileSync(FILE, "utf8");
  const current = withTables(markdown);
  if (current === markdown) return;
  process.stdout.write(`${check ? "stale" : "wrote"} ${relative(process.cwd(), FILE)}\n`);
  if (check) process.exitCode = 1;
  else writeFileSync(FILE, current);
}

main(process.argv.includes("--check"));
