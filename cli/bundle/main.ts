// Builds dist/program: the command line in a few files. Loading hundreds of modules takes longer than running
// them. Builds dist/hook: only the command `hook`, for which an agent waits at each prompt.
import { fileURLToPath } from "node:url";
import { build, type OutputOptions, type Plugin } from "rolldown";
import { licences } from "./licences.js";
import { moduleUrls } from "./module-urls.js";
import { withoutTelemetry } from "./without-telemetry.js";

await bundle(new URL("../dist/main.js", import.meta.url), {
  folder: "program",
  // Packages that are not bundled. The conformance suite is a separate program. LanceDB and the languages are
  // not imported statically. Our OpenTelemetry API is an optional peer, but the one of prom-client is
  // bundled.
  external: (id, importer) =>
    id === "@membus/conformance" || (id === "@opentelemetry/api" && !importer?.includes("/node_modules/")),
});
await bundle(new URL("../dist/coding-agents/main.js", import.meta.url), {
  folder: "hook",
  plugins: [withoutTelemetry()],
  // One script, so that its compiled code is one file.
  output: { format: "cjs", codeSplitting: false, entryFileNames: "program.cjs", minify: true },
});
await build({
  input: fileURLToPath(new URL("../dist/coding-agents/load-program.js", import.meta.url)),
  platform: "node",
  output: { file: fileURLToPath(new URL("../dist/hook/main.js", import.meta.url)), minify: true },
});

interface Settings {
  readonly folder: string;
  readonly external?: (id: string, importer: string | undefined) => boolean;
  readonly plugins?: Plugin[];
  readonly output?: OutputOptions;
}

function bundle(entry: URL, { folder, external = () => false, plugins = [], output = {} }: Settings) {
  const dir = fileURLToPath(new URL(`../dist/${folder}`, import.meta.url));
  return build({
    input: fileURLToPath(entry),
    platform: "node",
    external,
    // The other entry of this package loads its files in a way that a bundler cannot follow.
    resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
    plugins: [...plugins, moduleUrls(output.format === "cjs" ? "cjs" : "esm"), licences()],
    output: { dir, format: "esm", cleanDir: true, ...output },
  });
}
