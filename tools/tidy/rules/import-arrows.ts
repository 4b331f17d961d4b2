import { posix } from "node:path";
import type ts from "typescript";
import { importsOf, packageNameOf, sourceEntries } from "../imports.js";
import type { Package } from "../repository.js";
import { type Finding, finding } from "../syntax.js";

const ALL = "all";

/** Where modules of other people are loaded, and an optional peer, which need not be there. */
const LOADERS: ReadonlySet<string> = new Set([
  "protocol/src/plugin/plugin-module.ts",
  "plugins/embeddings/src/transformers/model-program.ts",
  "plugins/kit/src/storage-suite/storage-child.ts",
]);

/** Which folders, or which module of one, the `src` of a folder may import; the folders of plugins and of integrations have an entry together. */
const ARROWS: Readonly<Record<string, readonly string[] | typeof ALL>> = {
  protocol: [],
  bus: ["protocol"],
  "tools/nats-server": ["protocol"],
  host: ["protocol", "bus"],
  "agent-client": ["protocol", "bus"],
  agentic: ["protocol", "agent-client"],
  gateway: ["protocol", "agent-client", "agentic", "integrations/mcp"],
  "integrations/frameworks": ["protocol", "agent-client", "agentic"],
  "gateway/inspector": ["gateway/answers"],
  integrations: ["protocol", "agent-client", "agentic"],
  conformance: ["protocol", "bus"],
  "conformance/mutants": ["protocol", "bus", "host", "conformance", "plugins/disk", "plugins/lru"],
  "plugins/disk": ["protocol"],
  "plugins/kit": ["protocol", "plugins/disk"],
  plugins: ["protocol", "plugins/disk", "plugins/kit"],
  cli: ALL,
  "tools/bench": ALL,
};

/** Imports of one `src` file that the arrows do not allow, that reach into another package, or that are computed. */
export function checkImportArrows(source: ts.SourceFile, packages: readonly Package[]): Finding[] {
  const home = packages.find(({ folder }) => source.fileName.startsWith(`${folder}/src/`));
  if (home === undefined) return [];
  return importsOf(source).flatMap(({ node, specifier }) => {
    const problem = problemOf(specifier, source.fileName, home, packages);
    return problem === undefined ? [] : [finding(node, problem)];
  });
}

function problemOf(
  specifier: string | undefined,
  from: string,
  home: Package,
  packages: readonly Package[],
): string | undefined {
  const allowed = ARROWS[home.folder] ?? ARROWS[home.folder.split("/")[0]!];
  if (allowed === undefined) return `${home.folder} has no arrows: say in import-arrows what it may import`;
  if (specifier === undefined)
    return allowed === ALL || LOADERS.has(from) ? undefined : "imports a computed name, which no rule sees";
  if (specifier.startsWith(".")) return relativeProblem(specifier, from, home);
  const target = packages.find(({ manifest }) => manifest.name === packageNameOf(specifier));
  if (target === undefined) return undefined;
  if (!sourceEntries([target]).has(specifier))
    return `${specifier} is not exported: import ${target.manifest.name}`;
  const module = target.folder + specifier.slice(target.manifest.name.length);
  if (allowed === ALL || allowed.includes(target.folder) || allowed.includes(module)) return undefined;
  return `${home.folder} may not import ${target.folder}, only ${allowed.join(", ") || "nothing of ours"}`;
}

function relativeProblem(specifier: string, from: string, home: Package): string | undefined {
  const target = posix.join(posix.dirname(from), specifier);
  return target.startsWith(`${home.folder}/`)
    ? undefined
    : `${specifier} leaves the package: import it by name`;
}
