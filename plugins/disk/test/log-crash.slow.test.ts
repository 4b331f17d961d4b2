import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { delay, systemClock } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { contents, openLog, temporaryDirectory } from "./log-fixture.js";

const SCRIPT = fileURLToPath(new URL("log-append-forever.ts", import.meta.url));
const KILL_COUNT = 20;

/**
 * Runs the appending process until some time after its first acknowledgement. @returns the acknowledged
 * numbers.
 */
async function appendUntilKilled(directory: string, mark: string, lifeMs: number): Promise<number[]> {
  const args = ["--conditions=membus-source", "--import", "tsx", SCRIPT, directory, mark];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("latin1").on("data", (text: string) => {
    output += text;
  });
  await once(child.stdout, "data");
  await delay(systemClock, lifeMs);
  child.kill("SIGKILL");
  await once(child, "close");
  const lines = output.split("\n");
  // A number without its line end may be incomplete.
  return lines.slice(0, -1).map(Number);
}

describe("a process killed at any time", () => {
  it("leaves every acknowledged record in order, without duplicates, even after further kills", async () => {
    const directory = await temporaryDirectory();
    let before: string[] = [];
    for (let kill = 0; kill < KILL_COUNT; kill++) {
      const acknowledged = await appendUntilKilled(directory, `run${kill}`, (kill * 29) % 160);
      const log = await openLog(directory);
      const now = (await contents(log)).map((record) => record.replace(/x*$/, ""));
      await log.close();
      expect(now.slice(0, before.length)).toEqual(before);
      const added = now.slice(before.length);
      const numbers = added.map((_, index) => before.length + 1 + index);
      expect(added).toEqual(numbers.map((seq) => `${seq}:${seq} run${kill} `));
      expect(acknowledged).toEqual(numbers.slice(0, acknowledged.length));
      expect(acknowledged.length).toBeGreaterThan(0);
      before = now;
    }
  });
});
