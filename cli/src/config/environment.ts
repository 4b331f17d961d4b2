import type { ConfigFile } from "./config-schema.js";

/** Environment variables and the settings that they set. */
export const ENVIRONMENT = Object.freeze({
  NATS_URL: "nats.url",
  MEMBUS_NATS_SERVER: "nats.server",
  MEMBUS_NATS_CREDENTIALS: "nats.credentials",
  MEMBUS_NATS_USER: "nats.user",
  MEMBUS_NATS_PASSWORD: "nats.password",
  MEMBUS_NATS_TOKEN: "nats.token",
  MEMBUS_NATS_NKEY: "nats.nkey",
  MEMBUS_NATS_AUTH: "nats.auth",
  MEMBUS_NATS_TLS_CA: "nats.tls_ca",
  MEMBUS_NATS_TLS_CERT: "nats.tls_cert",
  MEMBUS_NATS_TLS_KEY: "nats.tls_key",
  MEMBUS_INBOX_PREFIX: "nats.inbox_prefix",
  MEMBUS_TIER_SUBJECTS: "nats.tier_subjects",
  MEMBUS_PREFIX: "prefix",
  MEMBUS_TENANT: "tenant",
  MEMBUS_AGENT: "agent",
  MEMBUS_SESSION: "session",
  MEMBUS_NAMESPACE: "namespace",
  MEMBUS_DATA: "data",
  MEMBUS_MEMORY_LIMIT: "memory_limit",
  MEMBUS_DURABILITY: "durability",
  MEMBUS_LOG_LEVEL: "log_level",
});

/** Returns the settings in `env`. An empty variable counts as unset. */
export function environmentConfig(env: NodeJS.ProcessEnv): ConfigFile {
  const config: Record<string, unknown> = {};
  for (const [variable, setting] of Object.entries(ENVIRONMENT)) {
    const value = env[variable];
    if (value !== undefined && value !== "") setPath(config, setting.split("."), value);
  }
  return config as ConfigFile;
}

/** Sets `value` at a path of names, creating intermediate objects. */
function setPath(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (rest.length === 0) target[name!] = value;
  else {
    target[name!] ??= {};
    setPath(target[name!] as Record<string, unknown>, rest, value);
  }
}
