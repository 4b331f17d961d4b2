/** Names of the agents in plugin checks. */
export const PLUGIN_NAMES = {
  agents: { first: "first", second: "second" },
  tenants: { first: "default", second: "other" },
} as const;

export const PLUGIN_NAMESPACE = "check";
