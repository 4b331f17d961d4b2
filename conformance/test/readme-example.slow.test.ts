import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { DURABLE, folderWith } from "./plugin-files.js";
import { runSuiteCli } from "./run-suite-cli.js";

const README = readFileSync(fileURLToPath(new URL("../README.md", import.meta.url)), "utf8");
const [, FIRST_EXAMPLE] = /^npx membus-conformance (.+)$/m.exec(README)!;

// Also the only run of all checks on lancedb as the episodic tier. It takes more than a minute, because each store is synced.
it("the first example of the README finds a durable plugin conformant", async () => {
  const folder = folderWith({ "my-plugin.js": DURABLE, "package.json": '{ "type": "module" }' });
  try {
    const { code, stdout, stderr } = await runSuiteCli(
      [...FIRST_EXAMPLE!.split(" "), "--seed", "1"],
      folder.path,
    );
    expect(stdout).toContain("\ntier           episodic: ");
    // Literal counts, so that a lost check is noticed.
    expect(stderr).toMatch(/^435 checks, seed 1\n/);
    expect(stdout).toContain("core 1.0: MUST 267/267, SHOULD 1/1, not applicable 12\n");
    expect(stdout).toContain(
      "\nConformant to agents 1.0, core 1.0, durable 1.0, erasure 1.0, lineage 1.0, list 1.0, ranking 1.0, records 1.0, similarity 1.0. Also run @membus/plugin-kit/storage-suite",
    );
    expect(code).toBe(0);
  } finally {
    folder.remove();
  }
});
