import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { runSource } from "../run-cli.js";
import { NAMESPACE } from "./soak/packet-faults.js";

const PROGRAM = new URL("soak/main.ts", import.meta.url);
const directory = mkdtempSync(join(tmpdir(), "membus-test-"));

beforeEach(requireRecentServer);
afterAll(() => rmSync(directory, { recursive: true }));

/** Runs `npm run soak:cluster` without the build. */
const soak = (...args: string[]) => runSource(PROGRAM, args, directory);
const RULE = ["ip", "rule", "add", "pref", "10", "ipproto", "tcp", "dport", "1", "blackhole"];
const hasNamespaces = spawnSync(NAMESPACE[0], [...NAMESPACE.slice(1), ...RULE]).status === 0;

// Seven outages of up to 24 seconds each, so it takes more than a minute.
it("npm run soak:cluster makes the given number of faults, and reports its findings", async () => {
  const { code, stdout, stderr } = await soak("--faults", "7", "--hosts", "5", "--seed", "767");
  expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^\d+ calls, 0 problems\n$/)]);
  expect(stderr.match(/^\d+: /gm)).toEqual(["1: ", "2: ", "3: ", "4: ", "5: ", "6: ", "7: "]);
});

it.skipIf(!hasNamespaces)("npm run soak:cluster loses packets (needs Linux, root and ip)", async () => {
  const args = ["--faults", "1", "--hosts", "2", "--seed", "2", "--lose-packets"];
  const { code, stdout, stderr } = await runSource(PROGRAM, args, directory, NAMESPACE);
  expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^\d+ calls, 0 problems\n$/)]);
  expect(stderr).toContain("1: requests and answers of ");
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
    ["--lose-packets", "--faults", "1"],
  ]) {
    expect(await soak(...args)).toMatchObject({ code: 2, stdout: "" });
  }
});
