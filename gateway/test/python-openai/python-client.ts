import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A Python with the package `openai`. */
const PYTHON = process.env.MEMBUS_TEST_PYTHON ?? "python3";
const ENV = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
const ASK = fileURLToPath(new URL("ask.py", import.meta.url));

export const hasClient =
  spawnSync(PYTHON, ["-c", "import openai.resources.responses"], { env: ENV, timeout: 60_000 }).status === 0;

/** Runs a Python program with nothing but a base URL, and returns its answers to `texts`. */
export async function askFromPython(gateway: string, args: readonly string[]): Promise<unknown[]> {
  const env = { ...ENV, OPENAI_BASE_URL: `${gateway}/v1`, OPENAI_API_KEY: "sk-test" };
  const { stdout } = await promisify(execFile)(PYTHON, [ASK, ...args], { env, timeout: 120_000 });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}
