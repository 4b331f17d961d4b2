import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createProgram } from "../../cli/src/program.js";
import { SIDEBAR } from "../.vitepress/sidebar.js";
import { cliPage } from "./cli-page.js";
import { type CatalogueError, errorPage } from "./error-page.js";
import { llmsText } from "./llms-text.js";
import { optionsPage } from "./options-page.js";
import { settingsPage } from "./settings-page.js";

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

const catalogue = JSON.parse(readFileSync(path("protocol/spec/errors.json"), "utf8")) as CatalogueError[];

const PAGES: Readonly<Record<string, string>> = {
  "docs/public/llms.txt": llmsText(SIDEBAR),
  "docs/reference/cli.md": cliPage(createProgram()),
  "docs/reference/errors.md": errorPage(catalogue),
  "docs/reference/options.md": await optionsPage(),
  "docs/reference/settings.md": settingsPage(readFileSync(path("docs/reference/settings.md"), "utf8")),
};

/** Writes the generated pages that are stale. With `--check` it only reports them and fails. */
function main(check: boolean): void {
  for (const [name, text] of Object.entries(PAGES)) {
    const file = path(name);
    if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
    process.stdout.write(`${check ? "stale" : "wrote"} ${name}\n`);
    if (check) process.exitCode = 1;
    else writeFileSync(file, text);
  }
}

main(process.argv.includes("--check"));
