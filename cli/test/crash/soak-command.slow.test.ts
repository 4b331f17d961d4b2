import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { runSource } from "../run-cli.js";

const PROGRAM = new URL("kill-loop/main.ts", import.meta.url);
const directory = mkdtempSync(join(tmpdir(), "membus-test-"));

afterAll(() => rmSync(directory, { recursive: true }));

/** Runs `npm run soak` without the build. */
const soak = (...args: string[]) => runSource(PROGRAM, args, directory);

it("npm run soak kills the given number of times on one folder, and reports its findings", async () => {
  const data = join(directory, "data");
  const result = await soak("--kills", "2", "--seed", "7", "--data", data);
  expect(result).toMatchObject({ code: 0, stdout: "2 kills, 0 lost, 0 doubled, 0 back\n" });
  expect(result.stderr).toMatch(
    /^2 kills, seed 7\n\d+ operations acknowledged, \d+ presences and \d+ absences/,
  );

  const again = await soak("--kills", "6", "--data", data, "--json");
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout)).toMatchObject({ kills: 6, lost: [], doubled: [], back: [] });
});

it("npm run soak rejects invalid flags", async () => {
  for (const args of [
    ["--kills", "0"],
    ["--kill", "3"],
    ["--minutes", "0"],
    ["--minutes", "1", "--kills", "3"],
    ["--seed", "x"],
  ]) {
    expect(await soak(...args)).toMatchObject({ code: 2, stdout: "" });
  }
});
