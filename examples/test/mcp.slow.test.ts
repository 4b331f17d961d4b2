import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { resultOf } from "../../cli/test/run-cli.js";
import { startExample } from "./example-run.js";
import { isRunning, leftIn, pidsOf } from "./left-behind.js";

const OUTPUT = `tools: memory_retrieve, memory_recall, memory_store, memory_remember, memory_forget
chat recalls: main
chat is notified: the branch has changed
chat recalls: release-2
chat finds: Ada reviews everything that touches the protocol
  chat asks the user: 2 memories with the tag project in all tiers, including the shared one, of the namespace mcp-example would be deleted permanently.
forgotten: 2
left: 0
`;

it("lets two programs share a memory without a model, and leaves nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "membus-test-"));
  const example = startExample("mcp", folder, {});
  const [{ code, stdout, stderr }, pids] = await Promise.all([resultOf(example), pidsOf(example)]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.replace(/^nats-server at .*\n/, "")).toBe(OUTPUT);
  expect(pids.map(isRunning)).toEqual([false, false]);
  expect(leftIn(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});
