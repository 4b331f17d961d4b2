import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take minutes, the longest first. One that begins last would keep one core busy and the others idle. */
export const LONG_FILES = [
  "cli/test/cluster/cluster-soak.slow.test.ts",
  "cli/test/create-plugin.slow.test.ts",
  "conformance/mutants/test/reference-plugins.slow.test.ts",
  "conformance/test/host-route.slow.test.ts",
  "python/test/python-client.slow.test.ts",
  "conformance/test/foreign/foreign-host.slow.test.ts",
  "cluster/test/history/plants.slow.test.ts",
  "cli/test/cluster/cluster-restart.slow.test.ts",
  "plugins/lancedb/test/s3/s3-storage-suite.slow.test.ts",
  "conformance/test/slow-host.slow.test.ts",
  "conformance/test/small-plugin.slow.test.ts",
  "conformance/test/readme-example.slow.test.ts",
  "plugins/lancedb/test/storage-suite.slow.test.ts",
  "cli/test/memory-flood.slow.test.ts",
  "cli/test/backup/loaded-host.slow.test.ts",
];

/** Runs the long test files first, and the others in vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = LONG_FILES.findIndex((path) => moduleId.endsWith(`/${path}`));
      return index === -1 ? LONG_FILES.length : index;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
