import type { EntryInput } from "@membus/agent-client";
import { type Entity, entityEntry, relationEntry } from "@membus/agentic/graph";
import { z } from "zod";
import { type ImportItem, problemOf } from "./import-item.js";

const LineSchema = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("entity"),
    name: z.string(),
    entityType: z.string(),
    observations: z.array(z.string()).default([]),
  }),
  z.looseObject({
    type: z.literal("relation"),
    from: z.string(),
    to: z.string(),
    relationType: z.string(),
  }),
]);

/** The import replaces this tier by its own. */
const TIER = "episodic";
const TRUST = "agent";

interface EntityLine extends Entity {
  readonly line: number;
  readonly bytes: number;
}

/**
 * Reads the file of the MCP memory server: entities and relations, one in each line. Entities of one name are
 * merged: the first type counts, and all observations.
 */
export function readMcp(text: string): ImportItem[] {
  const entities = new Map<string, EntityLine>();
  const items: ImportItem[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const place = { line: index + 1, bytes: Buffer.byteLength(line) + 1 };
    const { data, problem } = parseLine(line);
    if (data === undefined) items.push({ ...place, problem });
    else if (data.type === "relation")
      items.push({ ...place, entry: stored(relationEntry(data, TIER, TRUST)) });
    else mergeEntity(entities, { ...place, ...data });
  }
  for (const { line, bytes, ...entity } of entities.values()) {
    items.push({ line, bytes, entry: stored(entityEntry(entity, TIER, { trust: TRUST })) });
  }
  return items.sort((a, b) => a.line - b.line);
}

function parseLine(text: string) {
  try {
    const { data, error } = LineSchema.safeParse(JSON.parse(text));
    if (data !== undefined) return { data };
    return { problem: problemOf(error, "line") };
  } catch (error) {
    return { problem: `not valid JSON: ${(error as Error).message}` };
  }
}

function mergeEntity(entities: Map<string, EntityLine>, entity: EntityLine): void {
  const first = entities.get(entity.name) ?? entity;
  const bytes = first === entity ? entity.bytes : first.bytes + entity.bytes;
  const observations = [...new Set([...first.observations, ...entity.observations])];
  entities.set(entity.name, { ...first, bytes, observations });
}

/** Returns the entry without its tier, stored only if it does not exist. */
function stored({ tier: _, ...entry }: EntryInput): EntryInput {
  return { ...entry, if_revision: 0 };
}
