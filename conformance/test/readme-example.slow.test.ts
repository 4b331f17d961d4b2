import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { DURABLE, folderWith, WHOLE_SUITE_MS } from "./plugin-files.js";
import { runSuiteCli } from "./run-suite-cli.js";

const README = readFileSync(fileURLToPath(new URL("../README.md", import.meta.url)), "utf8");
const [, FIRST_EXAMPLE] = /^npx membus-conformance (.+)$/m.exec(README)!;

it(
  "the first example of the README finds a durable plugin conformant",
  async () => {
    const folder = folderWith({ "my-plugin.js": DURABLE, "package.json": '{ "type": "module" }' });
    try {
      const { code, stdout } = await runSuiteCli(FIRST_EXAMPLE!.split(" "), folder.path);
      expect(stdout).toContain("\ntier           episodic: ");
      expect(stdout).toMatch(/\nConformant to core 1\.0, durable 1\.0/);
      expect(code).toBe(0);
    } finally {
      folder.remove();
    }
  },
  WHOLE_SUITE_MS,
);
