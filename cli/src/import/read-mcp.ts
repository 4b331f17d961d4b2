import type { EntryInput } from "@membus/agent-client";
import { entityEntry, type GraphFileLine, parseGraphFile, relationEntry } from "@membus/agentic/graph";
import type { ImportItem } from "./import-item.js";

/** The import replaces this tier by its own. */
const TIER = "episodic";
const TRUST = "agent";

/** Reads the file of the MCP memory server: entities and relations, one in each line. */
export function readMcp(text: string): ImportItem[] {
  const { entities, relations, problems } = parseGraphFile(text);
  const items = [
    ...problems.map((problem) => ({ ...placeOf(problem), problem: problem.message })),
    ...relations.map((relation) => {
      const { from, to, relationType } = relation;
      const entry = relationEntry({ from, to, relationType }, TIER, TRUST);
      return { ...placeOf(relation), entry: stored(entry) };
    }),
    ...entities.map((entity) => {
      return { ...placeOf(entity), entry: stored(entityEntry(entity, TIER, { trust: TRUST })) };
    }),
  ];
  return items.sort((a, b) => a.line - b.line);
}

function placeOf({ line, sizeBytes }: GraphFileLine) {
  return { line, bytes: sizeBytes };
}

/** Returns the entry without its tier, stored only if it does not exist. */
function stored({ tier: _, ...entry }: EntryInput): EntryInput {
  return { ...entry, if_revision: 0 };
}
