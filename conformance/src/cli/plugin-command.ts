import { isMemoryError, type MemoryTier, TIERS } from "@membus/protocol";
import { findPluginModule, loadPluginModule, type PluginModule } from "@membus/protocol/plugin";
import { type Command, Option } from "commander";
import { ExpectationError } from "../expect.js";
import { createHostWorld } from "../host-route/host-world.js";
import { fittingTier } from "../plugin-route/fitting-tier.js";
import { furtherSuitesOf } from "../plugin-route/further-suites.js";
import type { PluginUnderTest } from "../plugin-route/plugin-under-test.js";
import { createPluginWorld } from "../plugin-route/plugin-world.js";
import type { World } from "../world.js";
import { listChecks } from "./list-checks.js";
import { rerunCommand } from "./rerun-command.js";
import { runAndReport } from "./run-and-report.js";
import { addRunOptions, type RunFlags, resolveRunSettings } from "./run-options.js";
import type { HostLauncher } from "./through-host.js";
import { UsageError } from "./usage-error.js";

interface PluginFlags extends RunFlags {
  readonly tier?: MemoryTier;
  readonly throughHost?: boolean;
}

const DESCRIPTION = "test a plugin: a module that exports `createPlugin`, by that name or as its default";

const LOADER_HINT =
  'TypeScript needs a loader: NODE_OPTIONS="--import tsx" loads it for the suite and for its child processes.';

const EXAMPLE = `
MODULE is a file or the name of an installed package. Plain JavaScript needs no build: an ES module (.js, .mjs) or a
CommonJS module (.cjs, .js). ${LOADER_HINT}

Example:
  npx membus-conformance plugin ./my-plugin.js --tier semantic --html report.html`;

/** Registers `membus-conformance plugin MODULE`. */
export function registerPlugin(program: Command, throughHost?: HostLauncher): void {
  const command = program
    .command("plugin")
    .description(DESCRIPTION)
    .argument("[module]", "the plugin's module")
    .addOption(
      new Option("--tier <tier>", "tier to test (default: derived from the manifest)").choices(TIERS),
    );
  if (throughHost) command.option("--through-host", "test the plugin through a host on a real nats-server");
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
    throw new UsageError("missing plugin module, run membus-conformance plugin MODULE");
  const { url, createPlugin } = await load(module);
  const tier = await fittingTier({ name: module, createPlugin, ...(flags.tier && { tier: flags.tier }) });
  const implementation = { name: module, tier, createPlugin, module: url, nodeArguments: process.execArgv };
  if (!flags.throughHost || !throughHost) {
    return runAndReport(await openWorld(implementation), settings, rerunCommand(command));
  }
  const host = await throughHost.launch(implementation);
  try {
    const furtherSuites = furtherSuitesOf(await createPlugin());
    const world = await createHostWorld({ ...host.implementation, furtherSuites });
    return await runAndReport(world, settings, rerunCommand(command));
  } finally {
    await host.stop();
  }
}

/**
 * Opens the plugin.
 * @throws {ExpectationError} if the plugin cannot be opened or its manifest is malformed.
 */
async function openWorld(implementation: PluginUnderTest): Promise<World> {
  try {
    return await createPluginWorld(implementation);
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    const got = `an error ${error.code} (${error.message})`;
    throw new ExpectationError({ what: "`open` of the plugin", expected: "an open plugin", got });
  }
}

/** Loads a file relative to the working directory, or an installed package. */
async function load(module: string): Promise<PluginModule & { readonly url: string }> {
  const url = await findPluginModule(module, process.cwd()).catch((cause: Error) => {
    throw new UsageError(cause.message, { cause });
  });
  try {
    return { url, ...(await loadPluginModule(url)) };
  } catch (cause) {
    const { message } = cause as Error;
    const hint = message.startsWith("Unknown file extension") ? `. ${LOADER_HINT}` : "";
    throw new UsageError(`cannot load ${module}: ${message}${hint}`, { cause });
  }
}
