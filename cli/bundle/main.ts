// Builds dist/program: the command line in a few files. Loading hundreds of modules takes longer than running
// them.
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { licences } from "./licences.js";
import { moduleUrls } from "./module-urls.js";

await build({
  input: fileURLToPath(new URL("../dist/main.js", import.meta.url)),
  platform: "node",
  // Packages that are not bundled. The conformance suite is a separate program. LanceDB and the languages are
  // not imported statically. Our OpenTelemetry API is an optional peer, but the one of prom-client is
  // bundled.
  external: (id, importer) =>
    id === "@membus/conformance" || (id === "@opentelemetry/api" && !importer?.includes("/node_modules/")),
  plugins: [moduleUrls(), licences()],
  output: { dir: fileURLToPath(new URL("../dist/program", import.meta.url)), format: "esm", cleanDir: true },
});
