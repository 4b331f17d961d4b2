// Builds dist/library: LanceDB's JavaScript in one file. Its package requires a newer Node and newer types of Node than
// its code does. Beside older ones npm warns, refuses it, or leaves out its files. Its native library is in
// packages without these requirements.
import { createRequire } from "node:module";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { licences } from "../../../cli/bundle/licences.js";
import { packageOf } from "../../../cli/bundle/package-of.js";

const entry = createRequire(import.meta.url).resolve("@lancedb/lancedb");
const { name, version } = packageOf(entry);

/** Packages that LanceDB requires. */
const BUNDLED = ["@opentelemetry/api", "reflect-metadata"];
const isPackage = (id: string) => !id.startsWith(".") && !isAbsolute(id);
const isNativeLibrary = (id: string) => /^\.\/lancedb\..+\.(?:node|cjs)$/.test(id);

await build({
  input: { lancedb: entry },
  platform: "node",
  // Other packages are native libraries, Apache Arrow, which the plugin uses as well, and optional clients of models.
  external: (id) => (isPackage(id) && !BUNDLED.includes(id)) || isNativeLibrary(id),
  plugins: [licences()],
  // One of these clients is imported by eval. membus does not use it.
  checks: { eval: false },
  output: {
    dir: fileURLToPath(new URL("../dist/library", import.meta.url)),
    format: "cjs",
    entryFileNames: "[name].cjs",
    codeSplitting: false,
    banner: `// ${name} ${version} with its libraries, in one file. LICENSES.txt has the licences.`,
    cleanDir: true,
  },
});
