/** Who the agents of a plugin's checks are. */
export const PLUGIN_NAMES = {
  agents: { first: "first", second: "second" },
  tenants: { first: "default", second: "other" },
} as const;

export const PLUGIN_NAMESPACE = "check";
