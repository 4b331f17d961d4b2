import { z } from "zod";
import { NAME_ARGUMENT_LENGTH_MAX, TEXT_ARGUMENT_LENGTH_MAX, type Tool, typedTool } from "../tools/index.js";
import type { EntityGraph } from "./entity-graph.js";

const name = z.string().min(1).max(NAME_ARGUMENT_LENGTH_MAX).describe("Name of an entity.");
const texts = z.array(z.string().min(1).max(TEXT_ARGUMENT_LENGTH_MAX)).max(100);

const EntitySchema = z.object({
  name,
  entityType: z
    .string()
    .min(1)
    .max(NAME_ARGUMENT_LENGTH_MAX)
    .describe("Type of the entity: person, company, place."),
  observations: texts.describe("Facts about the entity, one per observation."),
});
const RelationSchema = z.object({
  from: name,
  to: name,
  relationType: z.string().min(1).max(NAME_ARGUMENT_LENGTH_MAX).describe("In active voice: works_at."),
});

/**
 * Returns the nine tools of the MCP reference memory server, with its names and parameters. Results are JSON.
 */
export function entityTools(graph: EntityGraph): Tool[] {
  return [...creatingTools(graph), ...deletingTools(graph), ...readingTools(graph)];
}

function creatingTools(graph: EntityGraph): Tool[] {
  return [
    typedTool({
      name: "create_entities",
      description: "Create entities in the knowledge graph. An entity with an existing name is not changed.",
      parameters: z.object({ entities: z.array(EntitySchema).min(1).max(100) }),
      run: async ({ entities }, { signal }) => json(await graph.createEntities(entities, { signal })),
    }),
    typedTool({
      name: "create_relations",
      description: "Create relations between entities in the knowledge graph.",
      parameters: z.object({ relations: z.array(RelationSchema).min(1).max(100) }),
      run: async ({ relations }, { signal }) => json(await graph.createRelations(relations, { signal })),
    }),
    typedTool({
      name: "add_observations",
      description: "Add observations to existing entities in the knowledge graph.",
      parameters: z.object({
        observations: z
          .array(z.object({ entityName: name, contents: texts }))
          .min(1)
          .max(100),
      }),
      run: async ({ observations }, { signal }) =>
        json(await graph.addObservations(observations, { signal })),
    }),
  ];
}

function deletingTools(graph: EntityGraph): Tool[] {
  return [
    typedTool({
      name: "delete_entities",
      description: "Delete entities with their observations and relations from the knowledge graph.",
      parameters: z.object({ entityNames: z.array(name).min(1).max(100) }),
      run: async ({ entityNames }, { signal }) => json(await graph.deleteEntities(entityNames, { signal })),
    }),
    typedTool({
      name: "delete_observations",
      description: "Delete observations of entities from the knowledge graph.",
      parameters: z.object({
        deletions: z
          .array(z.object({ entityName: name, observations: texts }))
          .min(1)
          .max(100),
      }),
      run: async ({ deletions }, { signal }) => json(await graph.deleteObservations(deletions, { signal })),
    }),
    typedTool({
      name: "delete_relations",
      description: "Delete relations from the knowledge graph.",
      parameters: z.object({ relations: z.array(RelationSchema).min(1).max(100) }),
      run: async ({ relations }, { signal }) => json(await graph.deleteRelations(relations, { signal })),
    }),
  ];
}

function readingTools(graph: EntityGraph): Tool[] {
  return [
    typedTool({
      name: "read_graph",
      description: "Read the whole knowledge graph.",
      parameters: z.object({}),
      run: async (_, { signal }) => json(await graph.readGraph({ signal })),
    }),
    typedTool({
      name: "search_nodes",
      description: "Find entities in the knowledge graph by a text in their names, types or observations.",
      parameters: z.object({ query: z.string().min(1).max(NAME_ARGUMENT_LENGTH_MAX) }),
      run: async ({ query }, { signal }) => json(await graph.searchNodes(query, { signal })),
    }),
    typedTool({
      name: "open_nodes",
      description: "Read entities of the knowledge graph by name.",
      parameters: z.object({ names: z.array(name).min(1).max(100) }),
      run: async ({ names }, { signal }) => json(await graph.openNodes(names, { signal })),
    }),
  ];
}

function json(result: unknown): string {
  return JSON.stringify(result, null, 2);
}
