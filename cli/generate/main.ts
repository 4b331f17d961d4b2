import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { withSection } from "../../protocol/generate/marked-section.js";
import { SECTIONS } from "../src/config/sections.js";
import { optionTable } from "./option-table.js";

const FILE = fileURLToPath(new URL("../../docs/reference/settings.md", import.meta.url));

/** Declaration of each section, for its comments. */
const DECLARATIONS = {
  host: { path: "host/src/options.ts", name: "HostOptionsSchema" },
  lru: { path: "plugins/lru/src/lru-options.ts", name: "LruOptionsSchema" },
  kit: { path: "plugins/kit/src/kit-options.ts", name: "KitOptionsSchema" },
  log: { path: "plugins/disk/src/log/file-log-options.ts", name: "FileLogOptionsSchema" },
  storage: { path: "plugins/lancedb/src/lance-storage-options.ts", name: "LanceStorageOptionsSchema" },
};

function withTables(markdown: string): string {
  return Object.entries(SECTIONS).reduce((text, [section, options]) => {
    const { path, name } = DECLARATIONS[section as keyof typeof SECTIONS];
    const code = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
    const source = ts.createSourceFile(path, code, ts.ScriptTarget.ES2022, true);
    return withSection(text, section, optionTable(options, source, name));
  }, markdown);
}

/**
 * Updates the tables of the settings page. With `--check`, only reports stale tables and sets the exit code to 1.
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
