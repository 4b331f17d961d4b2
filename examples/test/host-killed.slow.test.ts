import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startExample } from "./example-run.js";
import { KILLED_EXAMPLES } from "./killed-examples.js";
import { leftIn } from "./left-behind.js";
import { WatchedKills } from "./watched-kills.js";

const PYTHON = process.env.MEMBUS_TEST_PYTHON ?? "python3";
const PYTHONPATH = fileURLToPath(new URL("../../python/src", import.meta.url));
const TWO_AGENTS = fileURLToPath(new URL("../python/two_agents.py", import.meta.url));
const ENV = { ...process.env, PYTHONPATH, PYTHONDONTWRITEBYTECODE: "1" };
const HAS_PYTHON = spawnSync(PYTHON, ["-c", "import nats"], { env: ENV, timeout: 60_000 }).status === 0;

const stage = new WatchedKills();
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "membus-test-"));
  await stage.start();
});
afterAll(async () => {
  await stage.stop();
  rmSync(folder, { recursive: true });
});

describe("goes on when the host is killed while it stores, and loses nothing:", () => {
  for (const { name, agent, done, told, kept, remembered, memories } of KILLED_EXAMPLES) {
    it(name, async () => {
      const run = await stage.run(() => startExample(name, folder, { NATS_URL: stage.url }, "--scripted"), {
        asked: true,
        done,
      });
      expect([run.code, run.stderr, leftIn(folder)]).toEqual([0, "", []]);
      expect(run.lost).toEqual([]);
      // A kill may take the event of a store that is done, and so the last of these numbers.
      expect(run.kills).toBeGreaterThanOrEqual(done.length);
      for (const words of told) expect(run.stdout).toMatch(words);
      expect(run.kept).toBeGreaterThanOrEqual(kept);
      expect(await remembered(await stage.client(agent))).toEqual(memories);
    });
  }

  it.skipIf(!HAS_PYTHON)("two_agents.py (needs nats of python3 or of MEMBUS_TEST_PYTHON)", async () => {
    const env = { ...ENV, NATS_URL: stage.url };
    const start = () => spawn(PYTHON, ["-u", TWO_AGENTS], { env }) as ChildProcessWithoutNullStreams;
    // It waits to hear of its first store: an event that a kill may take.
    const run = await stage.run(start, { asked: false, done: [1, 3] });
    expect([run.code, run.stderr, run.kills, run.kept]).toEqual([0, "", 2, 0]);
    expect(run.stdout).toBe(
      [
        "writer hears of {'fact': 'pump'}",
        "writer finds Pump P2 cools line 4",
        "writer knows the hunch: no",
        "the order is created and created",
        "too large: 300038 bytes, at most 262144",
        "left: 0",
        "",
      ].join("\n"),
    );
  });
});
