import { isMemoryError, type MemoryError } from "@membus/protocol";
import { z } from "zod";
import { type Entity, EntitySchema, type Graph, type Relation, RelationSchema } from "./graph.js";
import type { GraphStore } from "./graph-store.js";

/** Characters of a name: what is too long is not shown as a whole. */
const NAME_SHOWN_MAX = 80;

const LineSchema = z.discriminatedUnion("type", [
  EntitySchema.extend({ type: z.literal("entity"), observations: z.array(z.string()).default([]) }),
  RelationSchema.extend({ type: z.literal("relation") }),
]);

export interface ParsedFile {
  readonly graph: Graph;
  /** What is wrong with the lines that were left out. */
  readonly problems: readonly string[];
}

/** The file of the reference server. Of several entities of one name the first type counts, and all observations. */
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
  return path.length === 0 ? "no JSON object" : `${path.join(".")}: ${message}`;
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
 * Adds to what is there; `onProblem` is told of each item that is not kept. Begun again, it adds what is left.
 * @returns what was news; `observations` counts those of entities that existed.
 * @throws {MemoryError} where an item is not kept for a reason that passes.
 */
export async function importGraph(
  store: GraphStore,
  { entities, relations }: Graph,
  onProblem: (problem: string) => void,
): Promise<Imported> {
  const isSettled = new Set<string>();
  const refuse = (kind: string, name: string, error: MemoryError | TypeError) => {
    if (isMemoryError(error) && error.retryable) throw error;
    onProblem(refusalOf(kind, name, error));
  };
  const created = await store.createEntities(entities, ({ name }, error) => {
    refuse("entity", name, error);
    isSettled.add(name);
  });
  for (const { name } of created) isSettled.add(name);
  const existing = entities.filter(({ name }) => !isSettled.has(name));
  const added = await store.addObservations(
    existing.map(({ name, observations }) => ({ entityName: name, contents: observations })),
    (name, error) => refuse("entity", name, error),
  );
  const related = await store.createRelations(relations, ({ from, relationType, to }, error) =>
    refuse("relation", `${from} ${relationType} ${to}`, error),
  );
  return {
    entities: created.length,
    relations: related.length,
    observations: added.flatMap(({ addedObservations }) => addedObservations).length,
  };
}

function refusalOf(kind: string, name: string, error: MemoryError | TypeError): string {
  const shown = JSON.stringify(name.slice(0, NAME_SHOWN_MAX).toWellFormed());
  const code = isMemoryError(error) ? ` (${error.code})` : "";
  return `${kind} ${shown}: ${error.message}${code}`;
}
