import { NATS_BUS_DEFAULTS } from "@membus/bus";
import { DEFAULT_PREFIX } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { type Command, InvalidArgumentError } from "commander";
import type { HostUnderTest } from "../host-route/host-under-test.js";
import { createHostWorld } from "../host-route/host-world.js";
import { awaitHost } from "./host-answers.js";
import { listChecks } from "./list-checks.js";
import { addNatsOptions, type NatsFlags } from "./nats-flags.js";
import { connect, demandDiscovery, demandHost } from "./reach-host.js";
import { rerunCommand, withoutCredentials } from "./rerun-command.js";
import { runAndReport } from "./run-and-report.js";
import { runForHost } from "./run-for-host.js";
import {
  addRunOptions,
  listArgument,
  type RunFlags,
  type RunSettings,
  resolveRunSettings,
} from "./run-options.js";

interface HostFlags extends RunFlags, NatsFlags {
  readonly prefix?: string;
  readonly tenants?: readonly string[];
  readonly agents?: readonly string[];
  readonly restartCommand?: string;
  readonly moveCommand?: string;
}

const DEFAULT_AGENTS = ["conformance-first", "conformance-second"];

const DESCRIPTION = "test a host in any language through its NATS server";

const EXAMPLE = `
The connection must be permitted to send requests and receive events as every agent of --agents in every tenant of --tenants.
With one tenant, the isolation of tenants is untestable. Without --restart-command, recovery after a crash is untestable.
The command of --restart-command kills the host with SIGKILL, starts it again in the background and exits.
The command of --move-command moves all tenants to other hosts of their cluster. Without it, checks of moves are not applicable.

Example:
  npx membus-conformance host --nats nats://127.0.0.1:4222 --tenants default,other \\
    --restart-command 'kill -9 $(cat host.pid); ./start-host.sh >host.log 2>&1 & echo $! >host.pid' --json report.json`;

/** Registers `membus-conformance host`. */
export function registerHost(program: Command): void {
  const command = addNatsOptions(program.command("host").description(DESCRIPTION))
    .option("--prefix <prefix>", `first tokens of every subject (default ${DEFAULT_PREFIX})`)
    .option("--tenants <a,b>", "one or two tenants that the host serves (default default)", upToTwo)
    .option("--agents <x,y>", `two agents (default ${DEFAULT_AGENTS.join(",")})`, two)
    .option("--restart-command <command>", "shell command that kills the host and starts it again")
    .option("--move-command <command>", "shell command that moves the tenants to other hosts");
  addRunOptions(command)
    .addHelpText("after", EXAMPLE)
    .action(async (flags: HostFlags, self: Command) => {
      process.exitCode = await testHost(flags, self);
    });
}

async function testHost(flags: HostFlags, command: Command): Promise<number> {
  const settings = await resolveRunSettings(flags, "host");
  if (flags.list === true) {
    process.stdout.write(listChecks(settings.checks));
    return 0;
  }
  const bus = await connect(flags);
  try {
    return await testOverBus(bus, flags, settings, rerunCommand(command));
  } finally {
    await bus.close();
  }
}

async function testOverBus(
  bus: Bus,
  flags: HostFlags,
  settings: RunSettings,
  rerun: (checkId: string, seed: number) => string,
): Promise<number> {
  const { prefix = DEFAULT_PREFIX, tenants = ["default"], agents = DEFAULT_AGENTS } = flags;
  const { restartCommand, moveCommand } = flags;
  const servers = withoutCredentials(flags.nats || String(NATS_BUS_DEFAULTS.servers));
  const address = { prefix, tenant: tenants[0]!, agent: agents[0]! };
  await demandHost(bus, address, servers);
  await demandDiscovery(bus);
  // In a cluster each tenant may have another host.
  const answers = async (patienceMs: number) => {
    const answered = tenants.map((tenant) => awaitHost(bus, { ...address, tenant }, patienceMs));
    return !(await Promise.all(answered)).includes(false);
  };
  const run = (flag: string, command: string) => () => runForHost({ flag, command }, answers);
  const implementation: HostUnderTest = {
    name: `host at ${servers}`,
    ...{ bus, servers, prefix, tenants, agents },
    ...(restartCommand && { restart: run("--restart-command", restartCommand) }),
    ...(moveCommand && { move: run("--move-command", moveCommand) }),
  };
  return runAndReport(await createHostWorld(implementation), settings, rerun);
}

function upToTwo(text: string): string[] {
  const names = listArgument(text);
  if (names.length > 2 || new Set(names).size < names.length) {
    throw new InvalidArgumentError("Give one or two different names.");
  }
  return names;
}

function two(text: string): string[] {
  const names = upToTwo(text);
  if (names.length < 2) throw new InvalidArgumentError("Give two different names.");
  return names;
}
