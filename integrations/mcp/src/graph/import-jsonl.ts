import type { EntityGraph } from "@membus/agentic";
import type { EntitiesAndRelations } from "@membus/agentic/graph";
import type { MemoryError } from "@membus/protocol";

/** Characters of a name in a message. */
const NAME_SHOWN_MAX = 80;

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
