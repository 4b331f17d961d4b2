import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { freePort } from "../../../bus/test/free-port.js";
import { runCli } from "../run-cli.js";

const parent = mkdtempSync(join(tmpdir(), "membus-erase-"));
mkdirSync(join(parent, "data", "episodic"), { recursive: true });
afterAll(() => rmSync(parent, { recursive: true }));

it.each([
  ["membus admin erase", ["admin", "erase", "--tenant", "acme", "--yes", "--json"]],
  ["membus backup", ["backup", join(tmpdir(), "membus-erase-backups")]],
  ["membus up --read-only", ["up", "--read-only", "--port", String(await freePort())]],
])("%s refuses the parent of the data folder and leaves it unchanged", async (_name, args) => {
  const { code, stdout, stderr } = await runCli([...args, "--data", parent], { cwd: parent });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(`${parent} is not a data folder`);
  expect(readdirSync(parent)).toEqual(["data"]);
});
