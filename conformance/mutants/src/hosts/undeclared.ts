import type { MemoryTier, Message } from "@membus/protocol";
import type { Feature } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import { LimitedPlugin } from "../reference/limited-plugin.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import { rewriteReplies, rewriteRequests } from "./intercept.js";
import { readingEntries, without } from "./rewrite-entries.js";

type Change = (fields: Message) => Message;

/**
 * Defines a host with a tier that lacks a feature. It drops the feature from requests instead of refusing
 * them.
 */
function leavingOut(feature: Feature, named: string, names: RegExp, change: Change): Mutant {
  return hostMutant({
    id: `${feature}-served-undeclared`,
    defect: `\`${feature}\` is not declared, and ${named} is answered without it`,
    check: `${feature.replace("_", "-")}/refused-when-undeclared`,
    names,
    plugins: { working: () => new LimitedPlugin([feature]) },
    bus: (bus) => rewriteRequests(bus, change),
  });
}

/** Defines the same defect for a field of entries. */
function leavingOutOfEntries(
  feature: Feature,
  named: string,
  names: RegExp,
  omitted: readonly string[],
): Mutant {
  const mutant = leavingOut(feature, named, names, (fields) => fields);
  return { ...mutant, bus: readingEntries((entry) => without(entry, ...omitted)) } as Mutant;
}

/** Defines a host that drops the field of an undeclared steering feature. */
function unsteered(feature: Feature, field: string = feature): Mutant {
  return hostMutant({
    id: `${feature}-ignored-undeclared`,
    defect: `\`${feature}\` is not declared, and a retrieve with it is answered without it`,
    check: `${feature}/refused-when-undeclared`,
    names: new RegExp(`without ${feature} declared: expected an error unsupported`),
    plugins: { working: () => new ReferencePlugin() },
    bus: (bus) => rewriteRequests(bus, (fields) => without(fields, field) as Message),
  });
}

const withoutMode: Change = (fields) => without(fields, "mode") as Message;

/** Defines a host that replaces an undeclared mode with the other one. */
function otherMode(id: string, check: string, names: RegExp, missing: Feature, tier: MemoryTier): Mutant {
  return hostMutant({
    ...{ id, check, names, tier },
    defect: `\`${missing}\` is not declared, and a query in its mode is ranked by the other feature`,
    plugins: { [tier]: () => new LimitedPlugin([missing]) },
    bus: (bus) => rewriteRequests(bus, withoutMode),
  });
}

export const undeclaredMutants: readonly Mutant[] = [
  leavingOut(
    "similarity",
    "a query with mode vector",
    /a query with mode vector, without similarity declared/,
    withoutMode,
  ),
  leavingOut(
    "full_text",
    "a query with mode text",
    /a query with mode text, without full_text declared/,
    withoutMode,
  ),
  leavingOut(
    "subtree",
    "a retrieve of a subtree",
    /a retrieve of a subtree, without subtree declared/,
    (fields) => {
      const { namespace } = fields;
      const isSubtree = typeof namespace === "string" && namespace.endsWith("/**");
      return isSubtree ? { ...fields, namespace: namespace.slice(0, -"/**".length) } : fields;
    },
  ),
  leavingOut(
    "queued",
    'a store with ack "queued"',
    /codes of a store of a new key with ack "queued"/,
    (fields) => without(fields, "ack") as Message,
  ),
  leavingOutOfEntries(
    "ttl",
    "a store with a ttl",
    /codes of a store of a new key with a ttl, which is not declared/,
    ["ttl", "expires_at"],
  ),
  leavingOutOfEntries(
    "conditional",
    "a store with `if_revision`",
    /codes of a store of a new key with if_revision 0/,
    ["if_revision"],
  ),
  ...(["fields", "recency", "diversity", "expand", "explain", "rerank"] as const).map((feature) =>
    unsteered(feature),
  ),
  unsteered("snippet", "include"),
  otherMode(
    "full-text-undeclared-ignored",
    "full-text/mode-text-refused-where-undeclared",
    /a query in mode text, on a tier that does not declare full_text/,
    "full_text",
    "episodic",
  ),
  otherMode(
    "similarity-undeclared-ignored",
    "similarity/mode-vector-refused-where-undeclared",
    /a query in mode vector, on a tier that does not declare similarity/,
    "similarity",
    "episodic",
  ),
  hostMutant({
    id: "list-undeclared-and-answered",
    defect: "`list` is not declared, and a list is answered without items",
    check: "list/refused-when-undeclared",
    names: /a list with \{\}, which is not declared/,
    plugins: { working: () => new ReferencePlugin() },
    bus: (bus) =>
      rewriteReplies(bus, (message, { asked }) => {
        if (asked?.type !== "memory/list/req" || message.type !== "error") return message;
        const { id, version, ts, req_id } = message;
        const nothing = { items: [], total: 0, total_relation: "eq" };
        return { type: "memory/list/resp", id, version, ts, req_id, ...nothing };
      }),
  }),
];
