import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isMemoryError, type MemoryTier, TIERS } from "@membus/protocol";
import { type Command, Option } from "commander";
import { ExpectationError } from "../expect.js";
import { createHostWorld } from "../host-route/host-world.js";
import { fittingTier } from "../plugin-route/fitting-tier.js";
import { loadPluginModule, type PluginModule } from "../plugin-route/plugin-module.js";
import type { PluginUnderTest } from "../plugin-route/plugin-under-test.js";
import { createPluginWorld } from "../plugin-route/plugin-world.js";
import { UsageError } from "../usage-error.js";
import type { World } from "../world.js";
import { listChecks } from "./list-checks.js";
import { rerunCommand } from "./rerun-command.js";
import { runAndReport } from "./run-and-report.js";
import { addRunOptions, type RunFlags, resolveRunSettings } from "./run-options.js";
import type { HostLauncher } from "./through-host.js";

interface PluginFlags extends RunFlags {
  readonly tier?: MemoryTier;
  readonly throughHost?: boolean;
}

const DESCRIPTION = "test a plugin: a module that exports `createPlugin`, by that name or as its default";

const EXAMPLE = `
MODULE is a file or the name of an installed package. A plugin in TypeScript needs a loader:
NODE_OPTIONS="--import tsx" does it for the suite and for the processes that it kills.

Example:
  npx membus-conformance plugin ./my-plugin.js --tier semantic --html report.html`;

/** `membus-conformance plugin MODULE`. */
export function registerPlugin(program: Command, throughHost?: HostLauncher): void {
  const command = program
    .command("plugin")
    .description(DESCRIPTION)
    .argument("[module]", "the plugin's module")
    .addOption(
      new Option("--tier <tier>", "tier to test it as (default: the one that its manifest fits)").choices(
        TIERS,
      ),
    );
  if (throughHost) command.option("--through-host", "behind a host on a real nats-server, by messages");
  addRunOptions(command)
    .addHelpText("after", EXAMPLE)
    .action(async (module: string | undefined, flags: PluginFlags, self: Command) => {
      process.exitCode = await testPlugin(module, flags, self, throughHost);
    });
}

async function testPlugin(
  module: string | undefined,
  flags: PluginFlags,
  command: Command,
  throughHost: HostLauncher | undefined,
): Promise<number> {
  const settings = await resolveRunSettings(flags, flags.throughHost ? "host" : "plugin");
  if (flags.list === true) {
    process.stdout.write(listChecks(settings.checks));
    return 0;
  }
  if (module === undefined)
    throw new UsageError("name the plugin's module: membus-conformance plugin MODULE");
  const url = moduleUrl(module);
  const { createPlugin } = await load(module, url);
  const tier = await fittingTier({ name: module, createPlugin, ...(flags.tier && { tier: flags.tier }) });
  const implementation = { name: module, tier, createPlugin, module: url, nodeArguments: process.execArgv };
  if (!flags.throughHost || !throughHost) {
    return runAndReport(await openWorld(implementation), settings, rerunCommand(command));
  }
  const host = await throughHost.launch(implementation);
  try {
    return await runAndReport(await createHostWorld(host.implementation), settings, rerunCommand(command));
  } finally {
    await host.stop();
  }
}

/** @throws {ExpectationError} when the plugin cannot be opened, or its manifest has not the form of the contract. */
async function openWorld(implementation: PluginUnderTest): Promise<World> {
  try {
    return await createPluginWorld(implementation);
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    const got = `an error ${error.code} (${error.message})`;
    throw new ExpectationError({ what: "`open` of the plugin", expected: "an open plugin", got });
  }
}

/** A file, below the working directory, or a package that is installed there. */
function moduleUrl(module: string): string {
  const path = resolve(module);
  if (existsSync(path)) return pathToFileURL(path).href;
  try {
    return pathToFileURL(createRequire(join(process.cwd(), "package.json")).resolve(module)).href;
  } catch (cause) {
    throw new UsageError(`there is no file ${path}, and no package that Node finds as \`${module}\``, {
      cause,
    });
  }
}

async function load(module: string, url: string): Promise<PluginModule> {
  try {
    return await loadPluginModule(url);
  } catch (cause) {
    throw new UsageError(`${module} cannot be loaded: ${(cause as Error).message}`, { cause });
  }
}
