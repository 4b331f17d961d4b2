import { ReferencePlugin } from "@membus/mutants";
import type { FurtherSuite, MemoryPlugin } from "@membus/protocol/plugin";
import { expect, it } from "vitest";
import { createPluginWorld, runToReport } from "../src/index.js";
import { furtherSuitesOf } from "../src/plugin-route/further-suites.js";
import { textReport } from "../src/report/text-report.js";
import { registerConformance } from "../src/vitest.js";

/** A plugin that names a suite for one of its parts. */
class WithPart extends ReferencePlugin {
  readonly furtherSuites: readonly FurtherSuite[] = [{ module: "a-kit/suite", tests: "a part" }];
}

/** Returns the tests that the vitest binding registers, by title, with the note of those that are skipped. */
async function noteOf(createPlugin: () => ReferencePlugin, title: string): Promise<string | undefined> {
  const tests = new Map<string, () => Promise<string | undefined>>();
  const framework = {
    describe: (_: string, body: () => void) => body(),
    it: (name: string, body: (context: { skip(note: string): void }) => Promise<void>) =>
      tests.set(name, async () => {
        let skipped: string | undefined;
        const skip = (note: string) => {
          skipped = note;
        };
        await body({ skip });
        return skipped;
      }),
  };
  registerConformance(framework, { name: "mine", createPlugin });
  return tests.get(title)!();
}

it("are those that a plugin names, by default none", () => {
  expect(furtherSuitesOf(new WithPart())).toEqual([{ module: "a-kit/suite", tests: "a part" }]);
  expect(furtherSuitesOf(new ReferencePlugin())).toEqual([]);
});

it("are ignored if they are malformed", () => {
  const malformed = [null, "suite", [{}], [{ module: "m", tests: "t".repeat(201) }], { length: 1 }];
  for (const furtherSuites of malformed) {
    expect(furtherSuitesOf({ furtherSuites } as unknown as MemoryPlugin)).toEqual([]);
  }
});

it("are in the report of a run", async () => {
  const world = await createPluginWorld({ name: "mine", createPlugin: () => new WithPart() });
  const report = await runToReport(world, { seed: 1, selected: [], rerun: (id) => id });
  expect(report.furtherSuites).toEqual([{ module: "a-kit/suite", tests: "a part" }]);
  expect(textReport(report)).toContain("\n  a-kit/suite tests a part\n");
});

it("are the note of a skipped test of the vitest binding, which passes without any", async () => {
  expect(await noteOf(() => new WithPart(), "further suites")).toBe("run them too: a-kit/suite tests a part");
  expect(await noteOf(() => new ReferencePlugin(), "further suites")).toBeUndefined();
});
