import { resolve } from "node:path";
import { isToken } from "@membus/protocol";
import type { Command } from "commander";
import type { AuthState, AuthUser } from "../auth/auth-state.js";
import { CLUSTER_NAME_FLAG, type ClusterFlags } from "../flags/cluster-flags.js";
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

interface InitFlags extends Pick<ClusterFlags, "clusterName"> {
  readonly maxPayload?: string;
  readonly shards?: string;
}

const FOLDER = "./membus-auth";
const AFTER = `
Keys are nkeys. The server configuration contains only public keys. Each seed is stored in a separate file that only the
owner can read. Seeds are never printed. A nats-server started by \`membus up --auth\` applies changes immediately. Send SIGHUP to
any other nats-server.`;

export function registerAuth(program: Command): void {
  const auth = program
    .command("auth")
    .description(
      "manage who may connect: writes the nats-server configuration, with one account per tenant, and the keys",
    )
    .option("--folder <folder>", `folder of the configuration and the keys (default ${FOLDER})`)
    .addHelpText("after", AFTER);
  auth
    .command("init")
    .description("create the host and operator keys and the configuration (idempotent)")
    .option("--max-payload <bytes>", "largest message in bytes, 1024..67108864 (default 1048576)")
    .option("--shards <number>", "the hosts are a cluster with this number of shards")
    .option(...CLUSTER_NAME_FLAG)
    .action((flags: InitFlags, command: Command) => init(command, flags));
  auth
    .command("add-tenant <tenant>")
    .description("add a tenant without agents, or change the limits of an existing tenant")
    .option("--connections-max <count>", "maximum connections of all agents of the tenant (default 1000)")
    .option("--subscriptions-max <count>", "maximum subscriptions on these connections (default 10000)")
    .action((tenant: string, flags: TenantFlags, command: Command) => addTenant(command, tenant, flags));
  auth
    .command("add-agent <tenant> <agent>")
    .description("create a key for an agent, valid for its own memory and the shared memory of its tenant")
    .option(
      "--tiers <tier,..>",
      "restrict the agent to these tiers (its requests must then name the tier in the subject)",
    )
    .option("--read-only-tiers <tier,..>", "tiers that the agent may only retrieve from and list")
    .action((tenant: string, agent: string, flags: AgentFlags, command: Command) =>
      addAgent(command, tenant, agent, flags),
    );
  auth
    .command("remove-agent <tenant> <agent>")
    .description("delete an agent's key and seed: its connections are closed, its memory is kept")
    .action((tenant: string, agent: string, _flags: object, command: Command) =>
      removeAgent(command, tenant, agent),
    );
  auth
    .command("remove-tenant <tenant>")
    .description("delete a tenant, and the keys and seeds of all its agents")
    .action((tenant: string, _flags: object, command: Command) => removeTenant(command, tenant));
  registerGatewayUser(auth);
  auth
    .command("rotate <user-or-tenant> [agent]")
    .description(
      "replace the key of `host`, `operator`, `gateway` or a tenant's agent: the old key stops working",
    )
    .action((user: string, agent: string | undefined, _flags: object, command: Command) =>
      rotate(command, user, agent),
    );
}

function registerGatewayUser(auth: Command): void {
  auth
    .command("add-gateway")
    .description(
      "create a key for gateways, valid for every agent of all tenants, or change the tenants of an existing key",
    )
    .option(
      "--tenants <tenant,..>",
      "only these tenants; `*` means all, including future tenants (default `*`)",
    )
    .action((flags: { tenants?: string }, command: Command) => addGateway(command, flags.tenants));
  auth
    .command("remove-gateway")
    .description("delete the key and seed of the gateways: their connections are closed")
    .action((_flags: object, command: Command) => removeGateway(command));
}

async function init(command: Command, flags: InitFlags): Promise<void> {
  const { config } = await openSession(command);
  const { initialised } = await import("../auth/auth-changes.js");
  const given = (flag: string, text: string | undefined, min: number, max: number) =>
    text === undefined ? undefined : bounded(flag, text, min, max);
  const maxPayload = given("--max-payload", flags.maxPayload, 1_024, 64 * 1024 ** 2);
  const shards = given("--shards", flags.shards, 1, 256);
  const { clusterName } = flags;
  if (clusterName !== undefined && shards === undefined) throw new TypeError("--cluster-name needs --shards");
  if (clusterName !== undefined && !isToken(clusterName))
    throw new TypeError(`--cluster-name must be 1..64 characters of A-Z a-z 0-9 _ -, got ${clusterName}`);
  await change(command, [], async (state, newKey) =>
    initialised(state, newKey, { prefix: config.prefix, maxPayload, shards, clusterName }),
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
  if (tenants?.length === 0) throw new TypeError("--tenants needs tenant names separated by commas, or `*`");
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

async function rotate(command: Command, userOrTenant: string, agent: string | undefined): Promise<void> {
  const { rotateKey } = await import("../auth/auth-changes.js");
  const settings = agent === undefined ? [] : [`MEMBUS_TENANT=${userOrTenant}`, `MEMBUS_AGENT=${agent}`];
  let user: AuthUser | undefined;
  const renew = async (state: AuthState | undefined, newKey: (user: AuthUser) => Promise<string>) => {
    const renewed = await rotateKey(required(state), newKey, userOrTenant, agent);
    user = renewed.user;
    return renewed.state;
  };
  await change(command, settings, renew, () => user!);
}

function required(state: AuthState | undefined): AuthState {
  if (state === undefined)
    throw new TypeError("the auth folder is not initialised: run `membus auth init` first");
  return state;
}

/**
 * Changes the auth folder and prints the settings a user connects with, including the path of its seed. The
 * seed itself is never printed. Returns the folder.
 */
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
    [`wrote ${folder}/${CONFIG_FILE}`, ...connects].join("\n"),
  );
  return folder;
}

function limit(flag: string, value: string | undefined): number | undefined {
  return value === undefined ? undefined : bounded(flag, value, 1, 1_000_000_000);
}

/** @throws {TypeError} if the value is not an integer in the range. */
function bounded(flag: string, value: string, min: number, max: number): number {
  const number = numberFlag(flag, value);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new TypeError(`${flag} must be an integer in ${min}..${max}, got ${value}`);
}
