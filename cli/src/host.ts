// For programs that run a host in their process.
export * from "@membus/host";
export { type ComposedHost, type ComposeOptions, composeHost } from "./compose/compose-host.js";
export type { Config, ConfigFile } from "./config/config-schema.js";
export { resolveConfig } from "./config/resolve-config.js";
