// Builds dist/program: the command line in some files instead of some hundreds, which take longer to find than to run.
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { licences } from "./licences.js";
import { moduleUrls } from "./module-urls.js";

await build({
  input: fileURLToPath(new URL("../dist/main.js", import.meta.url)),
  platform: "node",
  // A program of its own. LanceDB and the languages are no imports, and stay where they are, too.
  // Ours is an optional peer; that of prom-client is its dependency.
  external: (id, importer) =>
    id === "@membus/conformance" || (id === "@opentelemetry/api" && !importer?.includes("/node_modules/")),
  plugins: [moduleUrls(), licences()],
  output: { dir: fileURLToPath(new URL("../dist/program", import.meta.url)), format: "esm", cleanDir: true },
});
