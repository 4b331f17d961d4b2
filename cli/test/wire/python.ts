import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const PACKAGES = ["nats-py==2.16.0", "msgpack==1.2.4"];
const INSTALL_TIMEOUT_MS = 30_000;
const run = promisify(execFile);

/** Python with the NATS client and MessagePack, in a separate folder. */
export interface Python {
  /** Runs a script and returns its output. */
  run(script: string, ...args: string[]): Promise<string>;
  remove(): Promise<void>;
}

/** Returns undefined if python3, pip or the registry is missing. */
export async function installPython(): Promise<Python | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "membus-python-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const env = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" };
  const install = [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--only-binary",
    ":all:",
    "--target",
    folder,
    ...PACKAGES,
  ];
  try {
    await run("python3", install, { env, timeout: INSTALL_TIMEOUT_MS });
  } catch {
    await remove();
    return undefined;
  }
  const runScript = async (script: string, ...args: string[]) =>
    (await run("python3", [script, ...args], { env, timeout: INSTALL_TIMEOUT_MS })).stdout;
  return { run: runScript, remove };
}
