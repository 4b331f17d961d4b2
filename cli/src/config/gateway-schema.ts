import { option, optionSet } from "@membus/protocol";

const names = option.list(option.text()).optional();

/** Settings of `membus gateway`. Tokens are stored only as hashes, with their tenant and agent. */
export const GatewaySchema = optionSet({
  /** Address and port, such as `127.0.0.1:8765`. */
  listen: option.text().optional(),
  tokens: option
    .list(optionSet({ sha256: option.text(), tenant: option.text(), agent: option.text().optional() }))
    .optional(),
  hosts: names,
  origins: names,
  /** Path of a PEM file. */
  tls_cert: option.text().optional(),
  /** Path of a PEM file. */
  tls_key: option.text().optional(),
  inspector: option.boolean().optional(),
  inspector_edit: option.boolean().optional(),
  mcp: option.boolean().optional(),
  mcp_read_only: option.boolean().optional(),
  session_idle_s: option.integer(60, 31_536_000).optional(),
  /** Name of the bucket in which gateways share their sessions. */
  session_bucket: option.text().optional(),
  /** Accepts access tokens of an authorization server at `/mcp`. */
  oauth: optionSet({
    issuer: option.text(),
    resource: option.text(),
    audience: option.text().optional(),
    jwks_url: option.text().optional(),
    scopes: names,
    agent_claim: option.text().optional(),
    tenant_claim: option.text().optional(),
    algorithms: names,
    clock_tolerance_s: option.integer(0, 300).optional(),
  }).optional(),
  openai: optionSet({
    upstream: option.text().optional(),
    api_key_env: option.text().optional(),
    agent: option.text().optional(),
    mode: option.choice("off", "static", "agent", "both").optional(),
    memory_timeout_ms: option.integer(1, 60_000).optional(),
  }).default({}),
});
