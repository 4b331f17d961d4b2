/** Text around a version. `{}` is the version. */
export interface Place {
  readonly path: string;
  readonly text: string;
}

/** Folder of the plugins for coding agents. All files below it have the version in one of these forms, or not at all. */
export const AGENT_PLUGINS = "integrations/coding-agents/plugins";
export const AGENT_PLUGIN_TEXTS = ['"{}"', "membus@{}"];

/** Places with the version of the packages, other than package.json and package-lock.json. */
export const PLACES: readonly Place[] = [
  { path: "cli/src/version.ts", text: '"{}"' },
  { path: "gateway/src/version.ts", text: '"{}"' },
  { path: "integrations/mcp/src/version.ts", text: '"{}"' },
  { path: "host/src/discovery/discovery.ts", text: 'HOST_VERSION = "{}"' },
  { path: "plugins/lru/src/lru-plugin.ts", text: 'version: "{}"' },
  { path: "plugins/lancedb/src/lancedb-plugin.ts", text: 'version: "{}"' },
  { path: "python/pyproject.toml", text: '\nversion = "{}"' },
  { path: "deploy/helm/membus/Chart.yaml", text: "ersion: {}" },
  // Expected values of tests.
  { path: "cli/test/create-plugin.slow.test.ts", text: '"{}\\n"' },
  { path: "cli/test/create-plugin.slow.test.ts", text: "membus-{}.tgz" },
  { path: "cli/test/export/round-trip.test.ts", text: 'membus: "{}"' },
  { path: "cli/test/help.test.ts", text: '"{}\\n"' },
  { path: "cli/test/plugins.test.ts", text: 'version: "{}"' },
  { path: "conformance/test/cli-host.slow.test.ts", text: " lru {}" },
  { path: "conformance/test/cli-host.slow.test.ts", text: " lancedb {}" },
  { path: "conformance/test/vitest-binding.slow.test.ts", text: "membus conformance {}" },
  { path: "deploy/test/chart.test.ts", text: "membus-host:{}" },
  { path: "host/test/discovery.test.ts", text: 'version: "{}"' },
  { path: "integrations/mcp/test/process.slow.test.ts", text: '"{}\\n"' },
  { path: "plugins/lru/test/lru.test.ts", text: 'version: "{}"' },
];
