import { execFile, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { NATS_SERVER } from "../../bus/test/nats-server.js";

/** One that has what `pyproject.toml` names for tests. */
const PYTHON = process.env.MEMBUS_TEST_PYTHON ?? "python3";
const FOLDER = fileURLToPath(new URL("..", import.meta.url));
const ENV = {
  ...process.env,
  PYTHONDONTWRITEBYTECODE: "1",
  MEMBUS_NATS_SERVER: NATS_SERVER,
  MEMBUS_TEST_NODE: process.execPath,
};
const FILES = readdirSync(new URL(".", import.meta.url)).filter((name) => name.startsWith("test_"));
const RUN_MS = 280_000;

const has = (module: string) =>
  spawnSync(PYTHON, ["-c", `import ${module}`], { env: ENV, timeout: 60_000 }).status === 0;
const hasAll = ["nats", "pytest", "mypy", "langgraph.checkpoint.conformance"].every(has);

describe.skipIf(!hasAll)(
  "the client for Python (needs nats-py, pytest, mypy and langgraph's suite, of python3 or of MEMBUS_TEST_PYTHON)",
  () => {
    it.each(FILES)(
      "passes %s",
      async (file) => {
        const run = promisify(execFile)(PYTHON, ["-m", "pytest", "-q", `test/${file}`], {
          cwd: FOLDER,
          env: ENV,
          timeout: RUN_MS,
        });
        const { stdout } = await run.catch((error: Error & { stdout?: string }) => {
          throw new Error(error.stdout || error.message);
        });
        expect(stdout.trim().split("\n").at(-1)).toMatch(/^\d+ passed in /);
      },
      RUN_MS,
    );
  },
);
