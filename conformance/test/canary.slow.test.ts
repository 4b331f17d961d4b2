import { ReferencePlugin } from "@membus/mutants";
import type { Scope } from "@membus/protocol";
import type { PluginStoreRequest } from "@membus/protocol/plugin";
import { expect, it } from "vitest";
import { createPluginWorld, runToReport } from "../src/index.js";

/** Acknowledges stores but keeps no entries, so that reads find nothing. */
class EmptyPlugin extends ReferencePlugin {
  override async onStore(_: Scope, { entries, op }: PluginStoreRequest) {
    const revision = Math.floor(op.accepted_at * 1e6);
    const receiptOf = ({ index, key_hash }: { index: number; key_hash: string }) => ({
      ...{ index, key_hash, outcome: "created" as const },
      revision: revision + index,
    });
    return { receipts: entries.map(receiptOf), errors: [] };
  }
}

/** Checks without a read: of the manifest, of store receipts, of the process and of other folders. */
const NOT_READING: readonly string[] = [
  "factory/gives-a-whole-plugin",
  "lifecycle/manifest-names-every-feature",
  "lifecycle/manifest-does-not-change",
  "lifecycle/nothing-grows-with-what-is-gone",
  "lifecycle/files-stay-in-the-directory",
  "entry/revision-grows-over-idle-days",
  "scope/revisions-do-not-count-others",
];

it("is red on every check that reads", async () => {
  const world = await createPluginWorld({ name: "empty", createPlugin: () => new EmptyPlugin() });
  const { checks, conformant } = await runToReport(world, { seed: 1, rerun: (id) => id });
  expect(checks.filter(({ outcome }) => outcome === "suite-error").map(({ id }) => id)).toEqual([]);
  const passed = checks.filter(({ outcome }) => outcome === "pass").map(({ id }) => id);
  expect(passed.toSorted()).toEqual(NOT_READING.toSorted());
  expect(conformant).toBe(false);
});
