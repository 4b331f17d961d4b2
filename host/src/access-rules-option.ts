import { isJsonObject, isNamespace, isToken, TIERS } from "@membus/protocol";
import { ACTIONS } from "./access-rules.js";

const RULES_MAX = 1_000;

/** Allowed contents of each rule field. Every field is a list. */
const FIELDS: Readonly<Record<string, { readonly description: string; isValid(text: string): boolean }>> = {
  tenants: { description: "tenant names", isValid: isToken },
  agents: { description: "agent names", isValid: (text) => text !== "" },
  tiers: {
    description: `tiers: ${TIERS.join(", ")}`,
    isValid: (text) => TIERS.some((tier) => tier === text),
  },
  namespaces: { description: "namespaces, without /**", isValid: isNamespace },
  allow: {
    description: `actions: ${ACTIONS.join(", ")}`,
    isValid: (text) => ACTIONS.some((action) => action === text),
  },
};

/** @throws {TypeError} If a rule is invalid. The message names the rule and the field. */
export function accessRulesOption(value: unknown, name: string): void {
  if (!Array.isArray(value) || value.length > RULES_MAX) {
    throw new TypeError(`${name} must be a list of at most ${RULES_MAX} rules`);
  }
  for (const [at, rule] of value.entries()) checkRule(rule, `${name}[${at}]`);
}

function checkRule(rule: unknown, name: string): void {
  if (!isJsonObject(rule) || rule.allow === undefined) {
    throw new TypeError(`${name} must be an object with \`allow\``);
  }
  for (const [field, list] of Object.entries(rule)) {
    const known = FIELDS[field];
    if (known === undefined)
      throw new TypeError(
        `${name}.${field} is not a known field. A rule has ${Object.keys(FIELDS).join(", ")}`,
      );
    const isList = Array.isArray(list) && list.length > 0;
    if (isList && list.every((item) => typeof item === "string" && known.isValid(item))) continue;
    throw new TypeError(`${name}.${field} must be a list of one or more ${known.description}`);
  }
}
