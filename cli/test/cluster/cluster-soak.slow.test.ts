import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, expect, it } from "vitest";
import { NATS_SERVER } from "../../../bus/test/nats-server.js";
import { requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { type CliResult, resultOf } from "../run-cli.js";

const PROGRAM = fileURLToPath(new URL("soak/main.ts", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "membus-test-"));

beforeEach(requireRecentServer);
afterAll(() => rmSync(directory, { recursive: true }));

/** Runs `npm run soak:cluster` without the build. */
function soak(...args: string[]): Promise<CliResult> {
  const node = ["--conditions", "membus-source", "--import", "tsx", PROGRAM, ...args];
  const env = { ...process.env, MEMBUS_NATS_SERVER: NATS_SERVER, TMPDIR: directory };
  return resultOf(spawn(process.execPath, node, { env }));
}

it("npm run soak:cluster makes the given number of faults, and reports its findings", async () => {
  const { code, stdout, stderr } = await soak("--faults", "7", "--hosts", "3", "--seed", "767");
  expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^\d+ calls, 0 problems\n$/)]);
  expect(stderr.match(/^\d+: /gm)).toEqual(["1: ", "2: ", "3: ", "4: ", "5: ", "6: ", "7: "]);
});

it("npm run soak:cluster finds entries that are missing", async () => {
  const { code, stdout, stderr } = await soak("--faults", "1", "--hosts", "2", "--seed", "1", "--plant");
  expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^\d+ calls, [1-9]\d* problems\n$/)]);
  expect(stderr).toContain("tenant-0: no order explains");
});

it("npm run soak:cluster rejects invalid flags", async () => {
  for (const args of [
    ["--faults", "0"],
    ["--minutes", "1", "--faults", "3"],
    ["--hosts", "1"],
  ]) {
    expect(await soak(...args)).toMatchObject({ code: 2, stdout: "" });
  }
});
