import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take minutes, the longest first. A file that begins last would keep one core busy and the others idle. */
const LONG_FILES = [
  "conformance/test/host-route.slow.test.ts",
  "cli/test/create-plugin.slow.test.ts",
  "python/test/python-client.slow.test.ts",
  "conformance/test/cli-plugin.slow.test.ts",
  "conformance/test/readme-example.slow.test.ts",
  "conformance/test/foreign/foreign-host.slow.test.ts",
  "conformance/mutants/test/plugin-mutants.slow.test.ts",
  "conformance/mutants/test/host-mutants.slow.test.ts",
  "conformance/test/slow-host.slow.test.ts",
  "conformance/mutants/test/reference-plugins.slow.test.ts",
  "cli/test/file-storage.slow.test.ts",
  "conformance/test/one-cause.slow.test.ts",
  "gateway/test/crowd/crowd.slow.test.ts",
  "examples/test/examples.slow.test.ts",
  "cli/test/crash/host-kill.slow.test.ts",
  "conformance/test/small-plugin.slow.test.ts",
  "cli/test/noise/noise.slow.test.ts",
  "plugins/lancedb/test/storage-suite.slow.test.ts",
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
