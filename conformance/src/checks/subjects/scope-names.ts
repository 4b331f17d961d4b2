import { type Check, memoryCheck, pluginCheck } from "../../catalogue/check.js";
import type { MemoryContext } from "../../context.js";
import {
  DELIMITERS,
  LIKE_NAMES,
  LIKE_TENANTS,
  LONGEST_AGENTS,
  LONGEST_PATHS,
} from "../../fixtures/like-names.js";
import { expectJoinedApart, expectPlacesApart, type Place } from "../../fixtures/places-apart.js";
import type { AgentOptions } from "../../memory-agent.js";

/** Delimiters made of characters that tenants allow. */
const OF_TENANTS = DELIMITERS.filter((delimiter) => /^[-_]*$/.test(delimiter));
const SESSION_LENGTH = 128;

function placesOf({ agent }: MemoryContext, who: readonly AgentOptions[]): Place[] {
  return who.map((options) => ({ name: JSON.stringify(options), who: agent(options) }));
}

/**
 * Returns pairs of a field and a namespace, in either order, that are the same text if joined with a
 * delimiter.
 */
function joinedWithNamespace(path: string, named: (name: string, below: string) => AgentOptions) {
  return (delimiter: string): AgentOptions[] => [
    named("s", `p${delimiter}${path}/q`),
    named(`s${delimiter}${path}/p`, "q"),
    named(`p${delimiter}s`, "r"),
    named("s", `r${delimiter}p`),
  ];
}

function agentsAndSessions(delimiter: string): AgentOptions[] {
  const pairs = [
    ["a", `b${delimiter}c`],
    [`a${delimiter}b`, "c"],
    [`y${delimiter}z`, "x"],
    ["z", `x${delimiter}y`],
  ] as const;
  return pairs.map(([agent, session]) => ({ named: { agent }, session }));
}

/** Checks each delimiter in separate namespaces, so that the results do not affect each other. */
async function expectDelimitersApart(
  t: MemoryContext,
  joined: (delimiter: string) => readonly AgentOptions[],
  delimiters: readonly string[] = DELIMITERS,
): Promise<void> {
  for (const delimiter of delimiters) await expectJoinedApart(t, placesOf(t, joined(delimiter)));
}

/** Isolation of similar names. */
export const scopeNameChecks: readonly Check[] = [
  memoryCheck({
    id: "scope/agents-of-like-names-are-apart",
    clauses: ["SCOPE-5", "SCOPE-2", "SCOPE-3"],
    tiers: ["working", "episodic"],
    async run(t) {
      const names = [...LIKE_NAMES, ...LONGEST_AGENTS];
      await expectPlacesApart(
        t,
        placesOf(
          t,
          names.map((agent) => ({ named: { agent } })),
        ),
      );
    },
  }),
  memoryCheck({
    id: "scope/sessions-of-like-names-are-apart",
    clauses: ["SCOPE-2"],
    tiers: ["working"],
    async run(t) {
      const longest = ["a", "b"].map((last) => `${"x".repeat(SESSION_LENGTH - 1)}${last}`);
      await expectPlacesApart(
        t,
        placesOf(
          t,
          ["", ...LIKE_NAMES, ...longest].map((session) => ({ session })),
        ),
      );
    },
  }),
  memoryCheck({
    id: "scope/namespaces-of-like-names-are-apart",
    clauses: ["SCOPE-2", "SCOPE-3", "SCOPE-4", "NS-1"],
    async run(t) {
      const nested = [
        "bob/1",
        "bob/1/2",
        "bob/12",
        "b/ob/1",
        "bob/b",
        "bob/B",
        "bob/bob",
        "bob/..",
        "x/../bob",
      ];
      const paths = [...LIKE_NAMES, ...nested, ...LONGEST_PATHS];
      await expectPlacesApart(
        t,
        placesOf(
          t,
          paths.map((below) => ({ below })),
        ),
      );
    },
  }),
  pluginCheck({
    id: "scope/tenants-of-like-names-are-apart",
    clauses: ["SCOPE-5", "SCOPE-2", "SCOPE-3", "SCOPE-4"],
    async run(t) {
      await expectPlacesApart(
        t,
        placesOf(
          t,
          LIKE_TENANTS.map((tenant) => ({ named: { tenant } })),
        ),
      );
    },
  }),
  memoryCheck({
    id: "scope/agents-join-no-other-name",
    clauses: ["SCOPE-5", "SCOPE-2", "SCOPE-3"],
    tiers: ["working", "episodic"],
    async run(t) {
      const path = t.caller.namespace;
      await expectDelimitersApart(
        t,
        joinedWithNamespace(path, (agent, below) => ({ named: { agent }, below })),
      );
      if (t.tier === "working") await expectDelimitersApart(t, agentsAndSessions);
    },
  }),
  pluginCheck({
    id: "scope/tenants-join-no-other-name",
    clauses: ["SCOPE-5", "SCOPE-2", "SCOPE-3", "SCOPE-4"],
    async run(t) {
      const others = t.tier === "semantic" ? (["namespace"] as const) : (["namespace", "agent"] as const);
      for (const other of others) {
        const named = (tenant: string, name: string): AgentOptions => ({ named: { tenant, [other]: name } });
        const joined = (delimiter: string) => [
          named("a", `b${delimiter}c`),
          named(`a${delimiter}b`, "c"),
          named(`y${delimiter}z`, "x"),
          named("z", `x${delimiter}y`),
        ];
        await expectDelimitersApart(t, joined, OF_TENANTS);
      }
    },
  }),
];
