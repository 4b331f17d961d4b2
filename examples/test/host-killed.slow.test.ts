import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startExample } from "./example-run.js";
import { KILLED_EXAMPLES } from "./killed-examples.js";
import { leftIn } from "./left-behind.js";
import { WatchedKills } from "./watched-kills.js";

const PYTHONPATH = fileURLToPath(new URL("../../python/src", import.meta.url));
const ENV = { ...process.env, PYTHONPATH, PYTHONDONTWRITEBYTECODE: "1" };
const README = readFileSync(new URL("../python/README.md", import.meta.url), "utf8");

/** Programs, the modules they need from a Python, and the stores at which the host is killed. */
const PYTHON_EXAMPLES = [
  // This program waits for the event of its first store, which a kill can suppress.
  {
    program: "two_agents.py",
    variable: "MEMBUS_TEST_PYTHON",
    modules: "nats",
    atFirstStore: false,
    done: [1, 3],
  },
  {
    program: "mem0_memory.py",
    variable: "MEMBUS_TEST_PYTHON",
    modules: "nats",
    atFirstStore: true,
    done: [1],
  },
  {
    program: "langgraph_trip.py",
    variable: "MEMBUS_TEST_PYTHON",
    modules: "nats, langgraph.graph",
    atFirstStore: true,
    done: [1, 4],
  },
  {
    program: "agentscope_2_agent.py",
    variable: "MEMBUS_TEST_AGENTSCOPE",
    modules: "nats, agentscope.middleware",
    atFirstStore: true,
    done: [1],
  },
  {
    program: "agentscope_1_agent.py",
    variable: "MEMBUS_TEST_AGENTSCOPE_1",
    modules: "nats, agentscope.memory",
    atFirstStore: true,
    done: [1, 4],
  },
];

function hasModules(python: string, modules: string): boolean {
  return spawnSync(python, ["-c", `import ${modules}`], { env: ENV, timeout: 60_000 }).status === 0;
}

/** Returns the output of a program as shown in the README. */
function shownOf(program: string): string {
  const [, section = ""] = README.split(`\`${program}\`:\n\n\`\`\`\n`);
  return section.split("```")[0]!;
}

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

describe("continues when the host is killed during stores, and loses nothing:", () => {
  for (const { name, agent, done, output, kept, remembered, memories } of KILLED_EXAMPLES) {
    it(name, async () => {
      const run = await stage.run(() => startExample(name, folder, { NATS_URL: stage.url }, "--scripted"), {
        atFirstStore: true,
        done,
      });
      expect([run.code, run.stderr, leftIn(folder)]).toEqual([0, "", []]);
      expect(run.lost).toEqual([]);
      // A kill can suppress the event of a completed store, so the last of these numbers may be missed.
      expect(run.kills).toBeGreaterThanOrEqual(done.length);
      for (const words of output) expect(run.stdout).toMatch(words);
      expect(run.kept).toBeGreaterThanOrEqual(kept);
      expect(await remembered(await stage.client(agent))).toEqual(memories);
    });
  }

  for (const { program, variable, modules, atFirstStore, done } of PYTHON_EXAMPLES) {
    const python = process.env[variable] ?? "python3";
    const isThere = hasModules(python, modules);
    it.skipIf(!isThere)(`${program} (needs ${modules} of python3 or of ${variable})`, async () => {
      const path = fileURLToPath(new URL(`../python/${program}`, import.meta.url));
      const env = { ...ENV, NATS_URL: stage.url };
      const start = () => spawn(python, ["-u", path], { env }) as ChildProcessWithoutNullStreams;
      const run = await stage.run(start, { atFirstStore, done });
      expect([run.code, run.stdout, run.lost, run.kept]).toEqual([0, shownOf(program), [], 0]);
      expect(run.kills).toBeGreaterThanOrEqual(done.length);
    });
  }
});
