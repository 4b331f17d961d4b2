import { join } from "node:path";
import { BINARY_NAME } from "../binary.js";
import { runCommand } from "../run-command.js";
import type { InstallContext } from "./install-method.js";
import { GO_MODULE } from "./release.js";

/**
 * Compiles nats-server with the Go on the PATH, which downloads and verifies the sources.
 *
 * @returns the path of the program in the work directory.
 */
export async function installWithGo({ workDir, env, onStep, timeouts }: InstallContext): Promise<string> {
  await runCommand("go", ["version"], { env, timeoutMs: timeouts.goTimeoutMs });
  onStep(`Running go install ${GO_MODULE} (may take minutes)`);
  const goEnv = { ...env, GOBIN: workDir, CGO_ENABLED: "0" };
  await runCommand("go", ["install", GO_MODULE], { env: goEnv, timeoutMs: timeouts.goTimeoutMs });
  return join(workDir, BINARY_NAME);
}
