import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { MemoryError } from "@membus/protocol";
import { lastLines, runCommand } from "../run-command.js";
import type { InstallContext } from "./install-method.js";

/**
 * Downloads the package of Debian or Ubuntu with apt-get, which checks its signature, and unpacks it without
 * installing it. This needs no root and does not change the system's packages.
 *
 * @returns the path of the program in the work directory.
 */
export async function installFromDebian(context: InstallContext): Promise<string> {
  const { workDir, env, onStep, timeouts } = context;
  const run = (command: string, args: readonly string[]) =>
    runCommand(command, args, {
      env: debianEnv(env, workDir),
      timeoutMs: timeouts.debianTimeoutMs,
      cwd: workDir,
    });
  const apt = await privateFolders(workDir);
  await run("apt-get", ["--version"]);
  onStep("Downloading the Debian package nats-server with apt-get and unpacking it without installing it");
  // A single unreachable source must not stop the installation. The output of `update` is reported only if
  // the download fails.
  const update = await run("apt-get", [...apt, "-q", "update"]).then(
    ({ stderr }) => lastLines(stderr),
    (error: Error) => error.message,
  );
  await run("apt-get", [...apt, "-q", "-y", "download", "nats-server"]).catch((error: Error) => {
    const message = update === "" ? error.message : `${error.message} (apt-get update: ${update})`;
    throw new MemoryError("unavailable", message, {}, { cause: error });
  });
  const unpacked = join(workDir, "unpacked");
  await run("dpkg-deb", ["-x", await downloadedPackage(workDir), unpacked]);
  return join(unpacked, "usr", "sbin", "nats-server");
}

/** Returns the options of apt-get that keep its lists, cache and state below `workDir`. */
async function privateFolders(workDir: string): Promise<string[]> {
  const [lists, cache, state] = [join(workDir, "lists"), join(workDir, "cache"), join(workDir, "state")];
  await Promise.all(
    [join(lists, "partial"), join(cache, "archives", "partial"), state].map((folder) =>
      mkdir(folder, { recursive: true }),
    ),
  );
  return [
    ...["-o", `Dir::State::lists=${lists}`, "-o", `Dir::Cache=${cache}`, "-o", `Dir::State=${state}`],
    ...["-o", "Debug::NoLocking=1", "-o", "Acquire::Languages=none", "-o", "Acquire::Retries=1"],
    // As root, apt-get would download as its own user, which cannot access our directories.
    ...["-o", "APT::Sandbox::User=root"],
  ];
}

/**
 * Returns the environment with TMPDIR in our directory, because a TMPDIR of another user may be inaccessible.
 */
function debianEnv(env: NodeJS.ProcessEnv, workDir: string): NodeJS.ProcessEnv {
  return { ...env, TMPDIR: workDir, LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive" };
}

async function downloadedPackage(workDir: string): Promise<string> {
  const name = (await readdir(workDir)).find((file) => file.endsWith(".deb"));
  if (name === undefined) throw new MemoryError("unavailable", "apt-get downloaded no package");
  return join(workDir, name);
}
