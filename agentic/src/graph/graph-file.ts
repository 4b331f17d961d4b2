import { z } from "zod";
import type { Entity, Relation } from "./entity.js";

const LineSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("entity"),
    name: z.string(),
    entityType: z.string(),
    observations: z.array(z.string()).default([]),
  }),
  z.object({
    type: z.literal("relation"),
    from: z.string(),
    to: z.string(),
    relationType: z.string(),
  }),
]);

/** Place of an item in a graph file. */
export interface GraphFileLine {
  /** Starts at 1. A merged entity has its first line. */
  readonly line: number;
  /** Size of its lines. */
  readonly sizeBytes: number;
}

export interface GraphFile {
  readonly entities: readonly (Entity & GraphFileLine)[];
  readonly relations: readonly (Relation & GraphFileLine)[];
  /** Reasons for skipped lines. */
  readonly problems: readonly ({ readonly message: string } & GraphFileLine)[];
}

/**
 * Parses the JSONL file of the MCP memory server: an entity or a relation in each line. Entities of one name are merged: the
 * first type counts, and all observations. An invalid line is a problem and does not affect other lines.
 */
export function parseGraphFile(text: string): GraphFile {
  const entities = new Map<string, Entity & GraphFileLine>();
  const relations: (Relation & GraphFileLine)[] = [];
  const problems: ({ message: string } & GraphFileLine)[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const place = { line: index + 1, sizeBytes: Buffer.byteLength(line) + 1 };
    const { data, message } = parseLine(line);
    if (data === undefined) problems.push({ ...place, message });
    else if (data.type === "relation") relations.push({ ...place, ...withoutType(data) });
    else addEntity(entities, { ...place, ...withoutType(data) });
  }
  return { entities: [...entities.values()], relations, problems };
}

function parseLine(text: string) {
  try {
    const { data, error } = LineSchema.safeParse(JSON.parse(text));
    if (data !== undefined) return { data };
    const [{ path, message } = { path: [], message: "is invalid" }] = error.issues;
    return { message: `${path.join(".") || "line"}: ${message}` };
  } catch (error) {
    return { message: `not valid JSON: ${(error as Error).message}` };
  }
}

function withoutType<T extends { type: string }>({ type: _, ...item }: T): Omit<T, "type"> {
  return item;
}

function addEntity(entities: Map<string, Entity & GraphFileLine>, entity: Entity & GraphFileLine): void {
  const first = entities.get(entity.name);
  if (first === undefined) {
    entities.set(entity.name, { ...entity, observations: [...new Set(entity.observations)] });
    return;
  }
  const observations = [...new Set([...first.observations, ...entity.observations])];
  entities.set(entity.name, { ...first, observations, sizeBytes: first.sizeBytes + entity.sizeBytes });
}
