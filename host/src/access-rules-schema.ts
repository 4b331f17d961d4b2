import { isNamespace, isToken, type OptionsOf, option, optionSet, TIERS } from "@membus/protocol";

const RULES_MAX = 1_000;

/**
 * `read` allows retrieve and list. `write` allows store, including replacing entries of other authors.
 * `write_own` and `forget_own` allow replacing and forgetting only entries of the caller.
 */
const ACTIONS = ["read", "write", "write_own", "forget", "forget_own"] as const;
export type Action = (typeof ACTIONS)[number];

function names(isValid: (text: string) => boolean, message: string) {
  const name = option.value<string>((value) => typeof value === "string" && isValid(value), message);
  return option.list(name, 1);
}

const AccessRuleSchema = optionSet({
  tenants: names(isToken, "must be a tenant name").optional(),
  /** Decoded agent names, not subject tokens. */
  agents: names((text) => text !== "", "must be an agent name").optional(),
  tiers: option.list(option.choice(...TIERS), 1).optional(),
  /** Namespace paths. Each includes all namespaces below it. */
  namespaces: names(isNamespace, "must be a namespace, without /**").optional(),
  allow: option.list(option.choice(...ACTIONS), 1),
});

/** Grants actions. An absent field matches everything: every tenant, agent, tier or namespace. */
export interface AccessRule extends OptionsOf<typeof AccessRuleSchema> {}

export const AccessRulesSchema = option.list(AccessRuleSchema, 0, RULES_MAX);
