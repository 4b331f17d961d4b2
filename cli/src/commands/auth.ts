import { resolve } from "node:path";
import type { Command } from "commander";
import type { AuthState, AuthUser } from "../auth/auth-state.js";
import { definedOnly } from "../flags/defined-only.js";
import { numberFlag } from "../flags/json-argument.js";
import { openSession } from "../session.js";

interface TenantFlags {
  readonly connectionsMax?: string;
  readonly subscriptionsMax?: string;
}

interface AgentFlags {
  readonly tiers?: string;
  readonly readOnlyTiers?: string;
}

const FOLDER = "./membus-auth";
const AFTER = `
Keys are nkeys: the server has the public halves, and each seed is in a file of its own that its owner alone may read. None is
printed. A nats-server that \`membus up --auth\` runs takes a change at once; another one after a SIGHUP.`;

export function registerAuth(program: Command): void {
  const auth = program
    .command("auth")
    .description(
      "who may connect: writes a nats-server configuration with an account per tenant, and the keys",
    )
    .option("--folder <folder>", `where configuration and keys are (default ${FOLDER})`)
    .addHelpText("after", AFTER);
  auth
    .command("init")
    .description("a configuration with a host and an operator; again, it changes nothing")
    .option("--max-payload <bytes>", "largest message, 1024..67108864 (default 1048576)")
    .action((flags: { maxPayload?: string }, command: Command) => init(command, flags.maxPayload));
  auth
    .command("add-tenant <tenant>")
    .description("a tenant without agents; again, other limits for it")
    .option("--connections-max <count>", "connections of all its agents at once (default 1000)")
    .option("--subscriptions-max <count>", "subscriptions of these (default 10000)")
    .action((tenant: string, flags: TenantFlags, command: Command) => addTenant(command, tenant, flags));
  auth
    .command("add-agent <tenant> <agent>")
    .description("a key for an agent, which may reach its own memory and its tenant's shared one")
    .option("--tiers <tier,..>", "no tiers but these, which its requests then name in their subjects")
    .option("--read-only-tiers <tier,..>", "and these, to retrieve from and to list")
    .action((tenant: string, agent: string, flags: AgentFlags, command: Command) =>
      addAgent(command, tenant, agent, flags),
    );
  auth
    .command("remove-agent <tenant> <agent>")
    .description("takes an agent's key and seed away: its connections are closed, its memory stays")
    .action((tenant: string, agent: string, _flags: object, command: Command) =>
      removeAgent(command, tenant, agent),
    );
  auth
    .command("remove-tenant <tenant>")
    .description("the same for all agents of a tenant, and the tenant")
    .action((tenant: string, _flags: object, command: Command) => removeTenant(command, tenant));
  registerGatewayUser(auth);
  auth
    .command("rotate <who> [agent]")
    .description("a new key for `host`, `operator`, `gateway`, or a tenant's agent; the former is refused")
    .action((who: string, agent: string | undefined, _flags: object, command: Command) =>
      rotate(command, who, agent),
    );
}

function registerGatewayUser(auth: Command): void {
  auth
    .command("add-gateway")
    .description("a key for gateways, which ask as any agent of all tenants; again, other tenants")
    .option("--tenants <tenant,..>", "of these alone; `*`: of all, those added later too (the default)")
    .action((flags: { tenants?: string }, command: Command) => addGateway(command, flags.tenants));
  auth
    .command("remove-gateway")
    .description("takes the key and seed of gateways away: their connections are closed")
    .action((_flags: object, command: Command) => removeGateway(command));
}

async function init(command: Command, maxPayloadFlag: string | undefined): Promise<void> {
  const { config } = await openSession(command);
  const { initialised } = await import("../auth/auth-changes.js");
  const maxPayload =
    maxPayloadFlag === undefined
      ? undefined
      : bounded("--max-payload", maxPayloadFlag, 1_024, 64 * 1024 ** 2);
  await change(command, [], async (state, newKey) =>
    initialised(state, newKey, { prefix: config.prefix, maxPayload }),
  );
}

async function addTenant(command: Command, tenant: string, flags: TenantFlags): Promise<void> {
  const { withTenant } = await import("../auth/auth-changes.js");
  const limits = definedOnly({
    connections_max: limit("--connections-max", flags.connectionsMax),
    subscriptions_max: limit("--subscriptions-max", flags.subscriptionsMax),
  });
  await change(command, [], async (state) => withTenant(required(state), tenant, limits));
}

async function addAgent(command: Command, tenant: string, agent: string, flags: AgentFlags): Promise<void> {
  const { withAgent } = await import("../auth/auth-changes.js");
  const { agentUser } = await import("../auth/auth-state.js");
  const { isRestricted, tierAccess } = await import("../auth/tier-access.js");
  const access = tierAccess(flags);
  const settings = [`MEMBUS_TENANT=${tenant}`, `MEMBUS_AGENT=${agent}`];
  if (access !== undefined && isRestricted(access)) settings.push("MEMBUS_TIER_SUBJECTS=true");
  await change(
    command,
    settings,
    (state, newKey) => withAgent(required(state), newKey, [tenant, agent], access),
    () => agentUser(tenant, agent),
  );
}

async function removeAgent(command: Command, tenant: string, agent: string): Promise<void> {
  const { withoutAgent } = await import("../auth/auth-changes.js");
  const { removeSeeds } = await import("../auth/auth-folder.js");
  const { agentUser } = await import("../auth/auth-state.js");
  const folder = await change(command, [], async (state) => withoutAgent(required(state), tenant, agent));
  await removeSeeds(folder, [agentUser(tenant, agent)]);
}

async function removeTenant(command: Command, tenant: string): Promise<void> {
  const { withoutTenant } = await import("../auth/auth-changes.js");
  const { removeSeeds } = await import("../auth/auth-folder.js");
  const { agentUser } = await import("../auth/auth-state.js");
  let agents: readonly string[] = [];
  const folder = await change(command, [], async (state) => {
    const without = withoutTenant(required(state), tenant);
    agents = Object.keys(state!.tenants[tenant]!.agents);
    return without;
  });
  await removeSeeds(
    folder,
    agents.map((agent) => agentUser(tenant, agent)),
  );
}

async function addGateway(command: Command, list: string | undefined): Promise<void> {
  const { withGatewayUser } = await import("../auth/auth-changes.js");
  const { GATEWAY_USER } = await import("../auth/auth-state.js");
  const tenants = list === "*" ? "all" : list?.split(",").filter((name) => name !== "");
  if (tenants?.length === 0) throw new TypeError("--tenants takes names of tenants, or `*`");
  await change(
    command,
    [],
    (state, newKey) => withGatewayUser(required(state), newKey, tenants),
    () => GATEWAY_USER,
  );
}

async function removeGateway(command: Command): Promise<void> {
  const { withoutGatewayUser } = await import("../auth/auth-changes.js");
  const { removeSeeds } = await import("../auth/auth-folder.js");
  const { GATEWAY_USER } = await import("../auth/auth-state.js");
  const folder = await change(command, [], async (state) => withoutGatewayUser(required(state)));
  await removeSeeds(folder, [GATEWAY_USER]);
}

async function rotate(command: Command, who: string, agent: string | undefined): Promise<void> {
  const { rotated } = await import("../auth/auth-changes.js");
  const settings = agent === undefined ? [] : [`MEMBUS_TENANT=${who}`, `MEMBUS_AGENT=${agent}`];
  let user: AuthUser | undefined;
  const renew = async (state: AuthState | undefined, newKey: (user: AuthUser) => Promise<string>) => {
    const renewed = await rotated(required(state), newKey, who, agent);
    user = renewed.user;
    return renewed.state;
  };
  await change(command, settings, renew, () => user!);
}

function required(state: AuthState | undefined): AuthState {
  if (state === undefined) throw new TypeError("nothing is there yet: begin with `membus auth init`");
  return state;
}

/** Changes the folder, which it returns, and prints how a user connects: where its seed is, never what it is. */
async function change(
  command: Command,
  settings: readonly string[],
  work: Parameters<typeof import("../auth/auth-folder.js").changeAuth>[1],
  userOf?: () => AuthUser,
): Promise<string> {
  const { output } = await openSession(command);
  const folder = resolve(command.optsWithGlobals<{ folder?: string }>().folder ?? FOLDER);
  const { changeAuth, CONFIG_FILE, seedPath } = await import("../auth/auth-folder.js");
  await changeAuth(folder, work);
  const user = userOf?.();
  const connects =
    user === undefined
      ? []
      : [
          ...settings,
          `MEMBUS_NATS_NKEY=${seedPath(folder, user)}`,
          `MEMBUS_INBOX_PREFIX=${user.inboxPrefix}`,
        ];
  const named = Object.fromEntries(connects.map((line) => line.split(/=(.*)/s, 2) as [string, string]));
  output.result({ folder, config: `${folder}/${CONFIG_FILE}`, environment: named }, () =>
    [`${folder}/${CONFIG_FILE} is written`, ...connects].join("\n"),
  );
  return folder;
}

function limit(flag: string, value: string | undefined): number | undefined {
  return value === undefined ? undefined : bounded(flag, value, 1, 1_000_000_000);
}

/** @throws {TypeError} for what is no integer of the range. */
function bounded(flag: string, value: string, min: number, max: number): number {
  const number = numberFlag(flag, value);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new TypeError(`${flag} must be an integer ${min}..${max}`);
}
