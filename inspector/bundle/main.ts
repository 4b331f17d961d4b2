// Builds the page into gateway/dist/page, which the gateway serves and ships.
import { cp } from "node:fs/promises";
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
