import { readFile } from "node:fs/promises";
import type { GatewayOptions } from "@membus/gateway";
import { RELAY_PREFIX } from "../auth/auth-state.js";
import { apiKeyOf } from "../compose/provider-settings.js";
import type { Config } from "../config/config-schema.js";
import { definedOnly } from "../flags/defined-only.js";

export interface GatewayFlags {
  readonly listen?: string;
  readonly data?: string;
  readonly openai?: string;
  readonly edit?: boolean;
}

/** @throws {TypeError} for invalid settings. Address errors name `addressFlag`. */
export function gatewayOptions(
  { gateway, prefix, tenant }: Config,
  flags: GatewayFlags,
  env: NodeJS.ProcessEnv,
  addressFlag = "--listen",
): GatewayOptions {
  const { tokens, hosts, origins, session_idle_s: sessionIdleS, inspector, mcp } = gateway;
  const inspectorEdit = flags.edit ?? gateway.inspector_edit;
  return {
    prefix,
    tenant,
    relayPrefix: RELAY_PREFIX,
    ...addressOf(flags.listen ?? gateway.listen, addressFlag),
    ...definedOnly({ tokens, hosts, origins, sessionIdleS, inspector, inspectorEdit }),
    ...definedOnly({ mcp, mcpReadOnly: gateway.mcp_read_only }),
    ...definedOnly({ openai: openAiOf(gateway, flags, env), oauth: oauthOf(gateway) }),
  };
}

/**
 * Returns the options of the gateway in a host process, or undefined if it is disabled.
 * @throws {TypeError} for settings that are invalid or cannot be combined.
 */
export function httpOptions(
  config: Config,
  { readOnly }: { readonly readOnly: boolean },
  env: NodeJS.ProcessEnv,
): GatewayOptions | undefined {
  const { http, nats, gateway } = config;
  if (http === false) return undefined;
  if (nats.auth !== undefined && !gateway.tokens?.length && gateway.oauth === undefined) {
    const open = "without tokens, every process on this machine can act as any agent";
    throw new TypeError(`--http with --auth requires \`gateway.tokens\` or \`gateway.oauth\`: ${open}`);
  }
  if (readOnly) {
    throw new TypeError(
      "--http cannot be combined with --read-only, because sessions are stored in the data folder",
    );
  }
  return gatewayOptions(config, http === true ? {} : { listen: String(http) }, env, "--http");
}

function openAiOf(
  { openai }: Config["gateway"],
  flags: GatewayFlags,
  env: NodeJS.ProcessEnv,
): GatewayOptions["openai"] {
  const { api_key_env, agent, mode, memory_timeout_ms: memoryTimeoutMs } = openai;
  const upstream = flags.openai ?? openai.upstream;
  if (upstream === undefined) return undefined;
  const { apiKey: key } = apiKeyOf("gateway.openai", api_key_env, env);
  return { upstream, ...definedOnly({ key, agent, mode, memoryTimeoutMs }) };
}

/** The gateway checks the values, algorithms included. */
function oauthOf({ oauth }: Config["gateway"]): GatewayOptions["oauth"] {
  if (oauth === undefined) return undefined;
  const { issuer, resource, audience, scopes, jwks_url: jwksUrl, agent_claim: agentClaim } = oauth;
  const { tenant_claim: tenantClaim, clock_tolerance_s: clockToleranceS } = oauth;
  const algorithms = oauth.algorithms as NonNullable<GatewayOptions["oauth"]>["algorithms"];
  const optional = { audience, scopes, jwksUrl, agentClaim, tenantClaim, algorithms, clockToleranceS };
  return { issuer, resource, ...definedOnly(optional) };
}

/** @throws {TypeError} if the value is not an address and port. */
function addressOf(listen: string | undefined, flag: string): Pick<GatewayOptions, "host" | "port"> {
  if (listen === undefined) return {};
  const [, six, name, port] = /^(?:\[([^\]]+)\]:|([^:]+):)?(\d{1,5})$/.exec(listen) ?? [];
  if (port === undefined)
    throw new TypeError(`${flag} must be an address and port such as 127.0.0.1:8765, got ${listen}`);
  return { ...definedOnly({ host: six ?? name }), port: Number(port) };
}

export async function tlsOf({ gateway }: Config) {
  const { tls_cert, tls_key } = gateway;
  if (tls_cert === undefined && tls_key === undefined) return undefined;
  if (tls_cert === undefined || tls_key === undefined) {
    throw new TypeError("`gateway.tls_cert` and `gateway.tls_key` must both be set");
  }
  return { cert: await readFile(tls_cert), key: await readFile(tls_key) };
}
