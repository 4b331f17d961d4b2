// Builds the page into gateway/dist/page, which the gateway serves and ships.
import { appendFile, cp, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { licences } from "../../../cli/bundle/licences.js";

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const folder = pathOf("../../dist/page");

const { output } = await build({
  input: { inspector: pathOf("../dist/main.js") },
  platform: "browser",
  plugins: [licences()],
  output: {
    dir: folder,
    // A page that was opened before an upgrade must not run its scripts together with newer ones: none has the name of an older.
    entryFileNames: "[name]-[hash].js",
    chunkFileNames: "[name]-[hash].js",
    format: "esm",
    minify: true,
    cleanDir: true,
  },
});
await cp(pathOf("../page"), folder, { recursive: true });
const document = await readFile(`${folder}/index.html`, "utf8");
await writeFile(`${folder}/index.html`, document.replace("inspector.js", output[0].fileName));
const plots = createRequire(import.meta.url).resolve("uplot/dist/uPlot.min.css");
await appendFile(`${folder}/inspector.css`, await readFile(plots));
