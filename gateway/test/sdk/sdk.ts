import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A checkout of the A2E Python SDK, which is not on a package index. */
const SDK =
  process.env.MEMBUS_A2E_SDK ??
  fileURLToPath(new URL("../../../../shared/peers/a2e-python-sdk", import.meta.url));
/** A Python with the dependencies of the SDK: pydantic, requests, fastapi, pyyaml. */
const PYTHON = process.env.MEMBUS_TEST_PYTHON ?? "python3";
const ENV = { ...process.env, PYTHONPATH: SDK, PYTHONDONTWRITEBYTECODE: "1" };
const AGENT = fileURLToPath(new URL("sdk_agent.py", import.meta.url));
const IMPORTS = "import a2e.caps.memory.client, a2e.core.transports.http, a2e.core.client";

export const hasSdk =
  existsSync(SDK) && spawnSync(PYTHON, ["-c", IMPORTS], { env: ENV, timeout: 20_000 }).status === 0;

/** `sdk_agent.py` with the unmodified SDK. */
export function startAgent(args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(PYTHON, [AGENT, ...args], { env: ENV });
}

/** Output lines of the agent as they arrive. */
export async function* shown(
  agent: ChildProcessWithoutNullStreams,
): AsyncGenerator<{ name: string; value: unknown }> {
  let text = "";
  let errors = "";
  agent.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  for await (const chunk of agent.stdout) {
    const lines = (text + String(chunk)).split("\n");
    text = lines.pop()!;
    for (const line of lines) yield JSON.parse(line) as { name: string; value: unknown };
  }
  if (agent.exitCode !== 0 && agent.exitCode !== null) throw new Error(`the agent ended: ${errors}`);
}

/** All output of a scenario. */
export async function allShown(args: readonly string[]): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for await (const { name, value } of shown(startAgent(args))) all[name] = value;
  return all;
}
