import type { Entity, EntityGraph, Relation } from "@membus/agentic";
import type { EntitiesAndRelations } from "@membus/agentic/graph";
import type { MemoryError } from "@membus/protocol";
import { z } from "zod";
import { EntitySchema, RelationSchema } from "./graph-schemas.js";

/** Characters of a name in a message. */
const NAME_SHOWN_MAX = 80;

const LineSchema = z.discriminatedUnion("type", [
  EntitySchema.extend({ type: z.literal("entity"), observations: z.array(z.string()).default([]) }),
  RelationSchema.extend({ type: z.literal("relation") }),
]);

export interface ParsedFile {
  readonly graph: EntitiesAndRelations;
  /** Reasons for skipped lines. */
  readonly problems: readonly string[];
}

/** Parses the file of the reference server. Entities of one name are merged: the first type counts, and all observations. */
export function parseGraphFile(text: string): ParsedFile {
  const entities = new Map<string, Entity>();
  const relations: Relation[] = [];
  const problems: string[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const { success, data, error } = LineSchema.safeParse(jsonOf(line));
    if (!success) problems.push(`line ${index + 1}: ${problemOf(error)}`);
    else if (data.type === "relation") relations.push(RelationSchema.parse(data));
    else merge(entities, EntitySchema.parse(data));
  }
  return { graph: { entities: [...entities.values()], relations }, problems };
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function problemOf({ issues }: z.ZodError): string {
  const [{ path, message } = { path: [], message: "" }] = issues;
  return path.length === 0 ? "not a JSON object" : `${path.join(".")}: ${message}`;
}

function merge(entities: Map<string, Entity>, entity: Entity): void {
  const known = entities.get(entity.name)?.observations ?? [];
  const news = entity.observations.filter((observation) => !known.includes(observation));
  entities.set(entity.name, {
    ...(entities.get(entity.name) ?? entity),
    observations: [...known, ...news],
  });
}

export interface Imported {
  readonly entities: number;
  readonly relations: number;
  readonly observations: number;
}

/**
 * Adds a graph to the graph of a namespace. `onProblem` receives a line for each item that was not stored. A repeated import
 * adds only items that are missing. Returns the number of items added. `observations` counts the
 * observations of existing entities.
 * @throws {MemoryError} for an error that may pass with a retry.
 */
export async function importGraph(
  graph: EntityGraph,
  { entities, relations }: EntitiesAndRelations,
  onProblem: (problem: string) => void,
): Promise<Imported> {
  const refused = new Set<string>();
  const refuse = (kind: string, name: string, error: MemoryError) => {
    if (error.retryable) throw error;
    onProblem(`${kind} ${quoted(name)}: ${error.message} (${error.code})`);
  };
  const refuseEntity = (name: string, error: MemoryError) => {
    refuse("entity", name, error);
    refused.add(name);
  };
  const created = await graph.createEntities(entities, {
    onRefused: ({ name }, error) => refuseEntity(name, error),
  });
  const isNew = new Set(created.map(({ name }) => name));
  const existing = entities.filter(({ name }) => !isNew.has(name) && !refused.has(name));
  const { added, notFound } = await graph.addObservations(
    existing.map(({ name, observations }) => ({ entityName: name, contents: observations })),
    { onRefused: refuseEntity },
  );
  for (const name of notFound) onProblem(`entity ${quoted(name)}: Entity with name ${name} not found`);
  const related = await graph.createRelations(relations, {
    onRefused: ({ from, relationType, to }, error) =>
      refuse("relation", `${from} ${relationType} ${to}`, error),
  });
  return {
    entities: created.length,
    relations: related.length,
    observations: added.flatMap(({ addedObservations }) => addedObservations).length,
  };
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, NAME_SHOWN_MAX).toWellFormed());
}
