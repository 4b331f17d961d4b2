import {
  controlSubject,
  entriesSubject,
  SHARD_SUBJECTS,
  shardMappings,
  shardSubject,
} from "@membus/cluster/routing";
import { agentToken, hostSubjects, operatorSubject } from "@membus/protocol";
import {
  type AuthAgent,
  type AuthCluster,
  type AuthGateway,
  type AuthState,
  agentUser,
  GATEWAY_USER,
  HOST_USER,
  OPERATOR_USER,
  RELAY_PREFIX,
} from "./auth-state.js";
import { mayReceiveEvents, requestSubjects } from "./tier-access.js";

type Tenant = AuthState["tenants"][string];

const HEADER = `# Written by \`membus auth\`, which overwrites manual changes. It contains public keys only.
# Each tenant has its own account. It can use only the subjects that its account imports.
# Use this file as the server configuration, or \`include\` it.
`;

/**
 * Maximum number of subscriptions of one connection. A gateway has one subscription per open stream, and at
 * most 100,000 streams. The subscriptions of a tenant's agents are limited by its account. A running server
 * does not apply another value.
 */
const SUBSCRIPTIONS_MAX = 101_000;
/** Agent as which a gateway checks whether its host responds. */
const READY_AGENT = "gateway";
/**
 * Bytes that may wait for a connection before the server closes it. The server's default of 64 MiB can be
 * filled by one agent.
 */
const PENDING_BYTES_MAX = 512 * 1024 * 1024;

/** Returns the server configuration, a superset of JSON. The permissions follow chapter 2 of the protocol. */
export function serverConfig(state: AuthState): string {
  const tenants = Object.entries(state.tenants);
  const accounts = {
    membus: hostAccount(state),
    ...Object.fromEntries(
      tenants.map(([name, tenant]) => [accountOf(name), tenantAccount(state, name, tenant)]),
    ),
  };
  const { max_payload } = state;
  return `${HEADER}${fields({ max_payload, max_pending: PENDING_BYTES_MAX, max_subscriptions: SUBSCRIPTIONS_MAX, accounts })}`;
}

/** Formats the fields of an object as lines, so that the file can be included in another. */
function fields(object: object): string {
  return Object.entries(object)
    .map(([name, value]) => `${name}: ${JSON.stringify(value, null, 2)}\n`)
    .join("");
}

function accountOf(tenant: string): string {
  return `tenant_${tenant}`;
}

/** Subjects of JetStream and of shards that the hosts of a cluster publish on. Commands that read entries use the host's key too. */
const CLUSTER_HOST = [...["$JS.API.>", "$KV.>", "log.>"], ...[controlSubject("*"), entriesSubject("*")]];

/** Returns what an operator of a cluster may do: read its bucket, choose the hosts of shards, and send commands to owners. */
function clusterOperator({ name }: AuthCluster): string[] {
  return [
    ...["INFO", "MSG.GET"].map((request) => `$JS.API.STREAM.${request}.KV_${name}`),
    ...["host", "pin"].map((kind) => `$KV.${name}.own.${kind}.*`),
    controlSubject("*"),
  ];
}

function hostAccount(state: AuthState): object {
  const { prefix, cluster, gateway, tenants } = state;
  const exports = Object.keys(tenants).flatMap((tenant) => {
    const accounts = [accountOf(tenant)];
    return [
      ...hostSubjects(prefix, tenant).map((service) => ({ service, accounts })),
      { stream: `${prefix}.${tenant}.*.events.>`, accounts },
    ];
  });
  const gateways = gateway === undefined ? [] : [gatewayUser(state, gateway)];
  return {
    users: [hostUser(state), operatorUser(state), ...gateways],
    exports,
    ...(cluster && { jetstream: "enabled", mappings: mappingsOf(prefix, cluster.shards) }),
  };
}

function mappingsOf(prefix: string, shards: number): object {
  return Object.fromEntries(shardMappings(prefix, shards).map(({ from, to }) => [from, to]));
}

/** Returns the subject that a user of the hosts' account needs: nats-server checks permissions after its mapping. */
function sentSubject({ cluster }: AuthState, subject: string): string {
  return cluster === undefined ? subject : shardSubject("*", subject);
}

function hostUser(state: AuthState): object {
  const { prefix, host: nkey, cluster } = state;
  // A host of a cluster checks the mapping with pings.
  const probes = cluster ? [...CLUSTER_HOST, sentSubject(state, `${prefix}.*.*.ping`)] : [];
  const subjects = cluster ? [SHARD_SUBJECTS] : hostSubjects(prefix);
  return {
    nkey,
    permissions: {
      publish: { allow: [`${prefix}.*.*.events.>`, "$SRV.INFO.membus", ...probes] },
      subscribe: { allow: [...subjects, "$SRV.>", `${HOST_USER.inboxPrefix}.>`] },
      // The longest request timeout is ten minutes.
      allow_responses: { max: 1, expires: "11m" },
    },
  };
}

/** Returns the operator user. It may read figures, list the agents of the tenants, and move the shards of a cluster. */
function operatorUser(state: AuthState): object {
  const { prefix, operator: nkey, tenants, cluster } = state;
  return {
    nkey,
    permissions: {
      publish: {
        allow: [
          ...["$SRV.PING.>", "$SRV.INFO.>", "$SRV.STATS.>", "$SRV.PING", "$SRV.INFO", "$SRV.STATS"],
          ...Object.keys(tenants).map((tenant) => sentSubject(state, operatorSubject(tenant, prefix))),
          ...(cluster ? clusterOperator(cluster) : []),
        ],
      },
      subscribe: { allow: [`${OPERATOR_USER.inboxPrefix}.>`, `${prefix}.*.*.events.>`] },
    },
  };
}

/**
 * Returns the gateway user. It may send requests as any agent of its tenants, receive their store events, and
 * relay replies to other gateways.
 */
function gatewayUser(
  state: AuthState,
  { key: nkey, tenants = Object.keys(state.tenants) }: AuthGateway,
): object {
  const own = tenants.map((tenant) => `${state.prefix}.${tenant}`);
  const relay = [`${RELAY_PREFIX}.opened.*`, `${RELAY_PREFIX}.reply.*`];
  const requests = own
    .flatMap((tenant) => [`${tenant}.*.memory.*.req`, `${tenant}.${READY_AGENT}.ping`])
    .map((subject) => sentSubject(state, subject));
  return {
    nkey,
    permissions: {
      publish: { allow: [...requests, "$SRV.STATS.membus", ...relay] },
      subscribe: {
        allow: [
          ...own.map((tenant) => `${tenant}.*.events.memory.>`),
          `${GATEWAY_USER.inboxPrefix}.>`,
          ...relay,
        ],
      },
      // Must equal the time that a gateway waits for another gateway.
      allow_responses: { max: 1, expires: "5s" },
    },
  };
}

function tenantAccount({ prefix }: AuthState, name: string, tenant: Tenant): object {
  const account = "membus";
  return {
    limits: { max_connections: tenant.connections_max, max_subscriptions: tenant.subscriptions_max },
    users: Object.entries(tenant.agents).map(([agent, facts]) => agentOf(prefix, name, agent, facts)),
    imports: [
      ...hostSubjects(prefix, name).map((subject) => ({ service: { account, subject } })),
      { stream: { account, subject: `${prefix}.${name}.*.events.>` } },
    ],
  };
}

function agentOf(prefix: string, tenant: string, agent: string, { key: nkey, access }: AuthAgent): object {
  const own = `${prefix}.${tenant}.${agentToken(agent)}`;
  const shared = mayReceiveEvents("semantic", access)
    ? [`${prefix}.${tenant}.*.events.memory.semantic.>`]
    : [];
  const events = [`${own}.events.>`, ...shared];
  return {
    nkey,
    permissions: {
      publish: { allow: [...requestSubjects(own, access), `${own}.ping`] },
      subscribe: { allow: [`${agentUser(tenant, agent).inboxPrefix}.>`, ...events] },
    },
  };
}
