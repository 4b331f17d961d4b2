import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./tools/tidy/longest-first.js";

const SLOW_TESTS = "**/*.slow.test.ts";
/**
 * Packages by process. The test files of a group share processes, which saves a third of the processor time. The
 * groups run one after another: with the tests of all packages, a process would grow to 3 GB.
 */
const SHARED_PROCESS_PACKAGES = {
  unit: "{protocol,bus,openai-client,host,agent-client,plugins/disk,plugins/kit,plugins/lru,plugins/embeddings}",
  agentic: "agentic",
  lancedb: "plugins/{lancedb,languages}",
  cluster: "cluster",
  gateway: "{gateway,gateway/*}",
  integrations: "integrations/*",
  conformance: "{conformance,conformance/mutants}",
  cli: "cli",
  others: "{python,docs,deploy,examples,tools/bench,tools/nats-server,tools/release}",
};

/** Tests of pages in a browser. A browser uses several processes, so few of these run at the same time. */
const BROWSER_TESTS = "gateway/inspector/test/**/*.slow.test.ts";

/** Stops slow tests that hang. A condition may take minutes while several hosts start beside the test. */
const SLOW_LIMITS = {
  testTimeout: 900_000,
  hookTimeout: 900_000,
  expect: { poll: { timeout: 300_000 } },
};

/** Tests that need a separate process, because they change global state such as the clock, or replace a module. */
const SEPARATE_PROCESS_TESTS = "**/*.alone.test.ts";

/** Test suites of other projects, which need `describe` and `it` as globals. */
const FOREIGN_SUITES = "**/*.suite.test.ts";

export default defineConfig({
  resolve: { conditions: ["membus-source"] },
  ssr: { resolve: { conditions: ["membus-source"] } },
  test: {
    pool: "forks",
    // One more than cores: tests often wait for other processes.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // The projects share transformed modules. Otherwise each project transforms them again.
    experimental: { fsModuleCache: true },
    setupFiles: ["./tools/tidy/property-seed.ts"],
    // LanceDB warns of each fault that a test injects.
    env: { LANCEDB_LOG: "error" },
    // Stops tests that hang. Every fast test takes a small part of this time on an idle machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A condition that is awaited comes true within milliseconds, on a busy machine within seconds.
    expect: { poll: { timeout: 60_000 } },
    // Messages are not cut, because the summary of a run shows nothing else.
    chaiConfig: { truncateThreshold: 1_000 },
    projects: [
      {
        extends: true,
        test: {
          name: "tidy",
          include: ["tools/tidy/**/*.test.ts"],
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      ...Object.entries(SHARED_PROCESS_PACKAGES).map(([name, packages], index) => ({
        extends: true as const,
        test: {
          name: `fast/${name}`,
          include: [`${packages}/test/**/*.test.ts`],
          exclude: [...configDefaults.exclude, SLOW_TESTS, SEPARATE_PROCESS_TESTS, FOREIGN_SUITES],
          isolate: false,
          sequence: { groupOrder: index + 1 },
        },
      })),
      {
        extends: true,
        test: { name: "fast/separate", include: [SEPARATE_PROCESS_TESTS], sequence: { groupOrder: 20 } },
      },
      {
        extends: true,
        test: { name: "fast/suites", include: [FOREIGN_SUITES], globals: true, sequence: { groupOrder: 20 } },
      },
      {
        // Crash and chaos tests run last, because they use all cores and would slow down the other tests. They often
        // wait for other processes, so there are more of them than cores.
        extends: true,
        test: {
          name: "slow",
          include: [SLOW_TESTS],
          exclude: [...configDefaults.exclude, BROWSER_TESTS],
          ...SLOW_LIMITS,
          maxWorkers: 4,
          sequence: { groupOrder: 21 },
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: [BROWSER_TESTS],
          ...SLOW_LIMITS,
          maxWorkers: 2,
          sequence: { groupOrder: 22 },
        },
      },
    ],
  },
});
