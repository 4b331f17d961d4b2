import { execFile, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { NATS_SERVER } from "../../bus/test/nats-server.js";

const FOLDER = fileURLToPath(new URL("..", import.meta.url));
const ENV = {
  ...process.env,
  PYTHONDONTWRITEBYTECODE: "1",
  MEMBUS_NATS_SERVER: NATS_SERVER,
  MEMBUS_TEST_NODE: process.execPath,
};
const RUN_MS = 800_000;

/** Returns the variable with the Python for a test file. Some packages need a separate one. */
function variableFor(name: string): string {
  if (name.startsWith("test_agentscope_1")) return "MEMBUS_TEST_AGENTSCOPE_1";
  if (name === "test_hermes_contract.py") return "MEMBUS_TEST_HERMES";
  if (name === "test_synadia.py") return "MEMBUS_TEST_SYNADIA";
  return name.startsWith("test_agentscope") ? "MEMBUS_TEST_AGENTSCOPE" : "MEMBUS_TEST_PYTHON";
}

/** Additional modules that a test file needs. */
const NEEDS = new Map([
  ["test_agentscope.py", ["agentscope.middleware"]],
  ["test_agentscope_agent.py", ["agentscope.middleware"]],
  ["test_agentscope_1.py", ["agentscope.memory"]],
  ["test_agentscope_1_agent.py", ["agentscope.memory"]],
  ["test_agentscope_1_calls.py", ["agentscope.memory"]],
  ["test_checkpointer.py", ["langgraph.graph", "langgraph.checkpoint.conformance"]],
  ["test_hermes_contract.py", ["agent.memory_manager", "plugins.memory"]],
  ["test_langgraph_store.py", ["langgraph.store.base"]],
  ["test_synadia.py", ["synadia_ai.agent_service"]],
  ["test_tracing.py", ["opentelemetry.sdk.trace"]],
  [
    "test_types.py",
    ["mypy", "langgraph.graph", "langgraph.checkpoint.conformance", "opentelemetry.sdk.trace"],
  ],
]);

const isThere = (python: string, modules: string) =>
  spawnSync(python, ["-c", `import ${modules}`], { env: ENV, timeout: 60_000 }).status === 0;

interface PythonTests {
  readonly name: string;
  readonly variable: string;
  /** Modules that the file imports, separated by commas. */
  readonly modules: string;
}

const FILES = readdirSync(new URL(".", import.meta.url))
  .filter((name) => /^test_.*\.py$/.test(name))
  .map((name): PythonTests => {
    const modules = ["pytest", "nats", ...(NEEDS.get(name) ?? [])].join(", ");
    return { name, variable: variableFor(name), modules };
  });

const pythonOf = (variable: string) => process.env[variable] ?? "python3";
const [present, absent] = [true, false].map((isPresent) =>
  FILES.filter(({ variable, modules }) => isThere(pythonOf(variable), modules) === isPresent),
) as [PythonTests[], PythonTests[]];

/** Runs test files in one process, so that they share a host. */
async function runPytest(variable: string, files: readonly PythonTests[]): Promise<string> {
  const paths = files.map(({ name }) => `test/${name}`);
  const run = promisify(execFile)(pythonOf(variable), ["-m", "pytest", "-q", ...paths], {
    cwd: FOLDER,
    env: ENV,
    timeout: RUN_MS,
  });
  const { stdout } = await run.catch((error: Error & { stdout?: string }) => {
    throw new Error(error.stdout || error.message);
  });
  return stdout.trim().split("\n").at(-1)!;
}

describe("the Python client", () => {
  it.each([...new Set(present.map(({ variable }) => variable))])(
    "passes its tests in the Python of %s",
    async (variable) => {
      const files = present.filter((file) => file.variable === variable);
      expect(await runPytest(variable, files)).toMatch(/^\d+ passed in /);
    },
    RUN_MS,
  );

  for (const { name, modules, variable } of absent)
    it(`passes the tests of ${name} (needs ${modules} in python3 or ${variable})`, ({ skip }) =>
      skip("its modules are missing"));
});
