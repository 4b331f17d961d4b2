// Builds the page into gateway/dist/page, which the gateway serves and ships.
import { appendFile, cp, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { licences } from "../../cli/bundle/licences.js";

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const folder = pathOf("../../gateway/dist/page");

await build({
  input: pathOf("../dist/main.js"),
  platform: "browser",
  plugins: [licences()],
  output: { dir: folder, entryFileNames: "inspector.js", format: "esm", minify: true, cleanDir: true },
});
await cp(pathOf("../page"), folder, { recursive: true });
const plots = createRequire(import.meta.url).resolve("uplot/dist/uPlot.min.css");
await appendFile(`${folder}/inspector.css`, await readFile(plots));
