import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Folders that the `src` of a package may import, in addition to its own folder. `cli` and `tools/bench` may import all. */
const ALLOWED = {
  protocol: [],
  bus: ["protocol"],
  "openai-client": ["protocol"],
  host: ["protocol", "bus"],
  "plugins/disk": ["protocol"],
  "plugins/kit": ["protocol", "plugins/disk"],
  "plugins/(?:lancedb|languages|lru)": ["protocol", "plugins/disk", "plugins/kit"],
  "plugins/embeddings": ["protocol", "openai-client"],
  cluster: ["protocol", "plugins/disk", "plugins/kit", "plugins/lancedb"],
  "agent-client": ["protocol", "bus"],
  agentic: ["protocol", "openai-client", "agent-client"],
  "integrations/coding-agents": ["protocol", "plugins/disk", "agent-client", "agentic"],
  "integrations/frameworks": ["protocol", "agent-client", "agentic"],
  "integrations/mcp": ["protocol", "agent-client", "agentic", "gateway/http"],
  "gateway/http": ["protocol"],
  gateway: ["protocol", "agent-client", "agentic", "gateway/http", "integrations/mcp"],
  // Only the types of the responses: the page talks to the gateway over HTTP.
  "gateway/inspector": ["gateway"],
  conformance: ["protocol", "bus"],
  "conformance/mutants": ["protocol", "bus", "host", "conformance", "plugins/disk", "plugins/lru"],
  "tools/nats-server": ["protocol"],
};

/** Modules of plugins/kit, lowest first. A module may import only the modules before it. */
const KIT_ORDER = ["search", "quotas", "place", "journal", "lifecycle", "operations", "storage-suite"];

const packages = Object.entries(ALLOWED).map(([folder, allowed]) => ({
  name: `imports of ${folder}`,
  comment: `${folder} may import only ${allowed.join(", ") || "no other package"}`,
  severity: "error",
  from: { path: `^${folder}/src/` },
  to: { path: "^[a-z].*/src/", pathNot: [folder, ...allowed].map((name) => `^${name}/src/`) },
}));

const { workspaces } = JSON.parse(readFileSync("package.json", "utf8"));

/** A folder of `src` with an index.ts is a module: files outside of it import only its index.ts. */
const modules = workspaces.flatMap((workspace) =>
  readdirSync(`${workspace}/src`)
    .map((name) => `${workspace}/src/${name}`)
    .filter((folder) => existsSync(`${folder}/index.ts`))
    .map((folder) => ({
      name: `index of ${folder}`,
      comment: `import ${folder}/index.ts instead`,
      severity: "error",
      from: { path: `^${workspace}/src/`, pathNot: [`^${folder}/`, `^${workspace}/src/index\\.ts$`] },
      to: { path: `^${folder}/`, pathNot: `^${folder}/index\\.ts$` },
    })),
);

const kitOrder = KIT_ORDER.map((module, index) => ({
  name: `order of plugins/kit: ${module}`,
  severity: "error",
  from: { path: `^plugins/kit/src/${module}/` },
  to: { path: `^plugins/kit/src/(${KIT_ORDER.slice(index + 1).join("|") || "(?!)"})/` },
}));

/** Files of the object store, which a host with a folder does not load. */
const S3 = "^plugins/lancedb/src/(s3\\.ts|store/s3-)";

export default {
  forbidden: [
    { name: "cycle", comment: "types included", severity: "error", from: {}, to: { circular: true } },
    {
      name: "tables in an object store are a separate module",
      severity: "error",
      from: { path: "^plugins/lancedb/src/", pathNot: S3 },
      to: { path: S3 },
    },
    ...packages,
    ...modules,
    ...kitOrder,
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: {
      conditionNames: ["membus-source", "import", "types", "default"],
      exportsFields: ["exports"],
    },
    includeOnly: "^(?!node_modules).*/src/",
    doNotFollow: { path: "node_modules" },
  },
};
