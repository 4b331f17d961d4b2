import { type Clock, systemClock } from "@membus/protocol";
import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { failure, guarded, textAnswer } from "../answers.js";
import { type Offering, READING } from "../offering.js";
import { EntitySchema, type Graph, RelationSchema } from "./graph.js";
import { GraphStore } from "./graph-store.js";

const CREATING = { ...READING, readOnlyHint: false, idempotentHint: false } satisfies ToolAnnotations;
const DELETING = { ...READING, readOnlyHint: false, destructiveHint: true } satisfies ToolAnnotations;
export const GRAPH_URI = "memory://knowledge-graph";
const JSON_TYPE = "application/json";

const EntitiesSchema = z.object({ entities: z.array(EntitySchema) });
const RelationsSchema = z.object({ relations: z.array(RelationSchema) });
const GraphSchema = z.object({ entities: z.array(EntitySchema), relations: z.array(RelationSchema) });
const DoneSchema = z.object({ success: z.boolean(), message: z.string() });
const AddObservationsSchema = z.object({
  observations: z.array(
    z.object({
      entityName: z.string().describe("The name of the entity to add the observations to"),
      contents: z.array(z.string()).describe("An array of observation contents to add"),
    }),
  ),
});
const AddedSchema = z.object({
  results: z.array(z.object({ entityName: z.string(), addedObservations: z.array(z.string()) })),
});
const DeleteEntitiesSchema = z.object({
  entityNames: z.array(z.string()).describe("An array of entity names to delete"),
});
const DeleteObservationsSchema = z.object({
  deletions: z.array(
    z.object({
      entityName: z.string().describe("The name of the entity containing the observations"),
      observations: z.array(z.string()).describe("An array of observations to delete"),
    }),
  ),
});
const DeleteRelationsSchema = z.object({
  relations: z.array(RelationSchema).describe("An array of relations to delete"),
});
const SearchSchema = z.object({
  query: z
    .string()
    .describe("The search query to match against entity names, types, and observation content"),
});
const OpenSchema = z.object({ names: z.array(z.string()).describe("An array of entity names to retrieve") });

/** The nine tools and the resource of the MCP reference memory server. */
export function addGraph(offering: Offering, clock: Clock = systemClock): void {
  const { memory, options } = offering;
  const store = async () => new GraphStore(await memory(), options.tier, clock);
  addGraphResource(offering, store);
  if (!options.readOnly) {
    addCreatingTools(offering, store);
    addDeletingTools(offering, store);
  }
  addGraphReadingTools(offering, store);
}

type Stored = () => Promise<GraphStore>;

function addCreatingTools({ server, logger }: Offering, store: Stored): void {
  server.registerTool(
    "create_entities",
    {
      title: "Create Entities",
      description: "Create multiple new entities in the knowledge graph",
      inputSchema: EntitiesSchema,
      outputSchema: EntitiesSchema,
      annotations: CREATING,
    },
    guarded(logger, async ({ entities }) =>
      listed("entities", await (await store()).createEntities(entities)),
    ),
  );
  server.registerTool(
    "create_relations",
    {
      title: "Create Relations",
      description:
        "Create multiple new relations between entities in the knowledge graph. Relations should be in active voice",
      inputSchema: RelationsSchema,
      outputSchema: RelationsSchema,
      annotations: CREATING,
    },
    guarded(logger, async ({ relations }) =>
      listed("relations", await (await store()).createRelations(relations)),
    ),
  );
  server.registerTool(
    "add_observations",
    {
      title: "Add Observations",
      description: "Add new observations to existing entities in the knowledge graph",
      inputSchema: AddObservationsSchema,
      outputSchema: AddedSchema,
      annotations: CREATING,
    },
    guarded(logger, async ({ observations }) =>
      listed("results", await (await store()).addObservations(observations)),
    ),
  );
}

function addDeletingTools({ server, logger }: Offering, store: Stored): void {
  server.registerTool(
    "delete_entities",
    {
      title: "Delete Entities",
      description: "Delete multiple entities and their associated relations from the knowledge graph",
      inputSchema: DeleteEntitiesSchema,
      outputSchema: DoneSchema,
      annotations: DELETING,
    },
    guarded(logger, async ({ entityNames }) => {
      await (await store()).deleteEntities(entityNames);
      return done("Entities deleted successfully");
    }),
  );
  server.registerTool(
    "delete_observations",
    {
      title: "Delete Observations",
      description: "Delete specific observations from entities in the knowledge graph",
      inputSchema: DeleteObservationsSchema,
      outputSchema: DoneSchema,
      annotations: DELETING,
    },
    guarded(logger, async ({ deletions }) => {
      await (await store()).deleteObservations(deletions);
      return done("Observations deleted successfully");
    }),
  );
  server.registerTool(
    "delete_relations",
    {
      title: "Delete Relations",
      description: "Delete multiple relations from the knowledge graph",
      inputSchema: DeleteRelationsSchema,
      outputSchema: DoneSchema,
      annotations: DELETING,
    },
    guarded(logger, async ({ relations }) => {
      await (await store()).deleteRelations(relations);
      return done("Relations deleted successfully");
    }),
  );
}

function addGraphReadingTools({ server, logger, options }: Offering, store: Stored): void {
  const { graphCharsMax } = options;
  server.registerTool(
    "read_graph",
    {
      title: "Read Graph",
      description: "Read the entire knowledge graph",
      inputSchema: z.object({}),
      outputSchema: GraphSchema,
      annotations: READING,
    },
    guarded(logger, async () => bounded(await (await store()).readGraph(), graphCharsMax)),
  );
  server.registerTool(
    "search_nodes",
    {
      title: "Search Nodes",
      description: "Search for nodes in the knowledge graph based on a query",
      inputSchema: SearchSchema,
      outputSchema: GraphSchema,
      annotations: READING,
    },
    guarded(logger, async ({ query }) => bounded(await (await store()).searchNodes(query), graphCharsMax)),
  );
  server.registerTool(
    "open_nodes",
    {
      title: "Open Nodes",
      description: "Open specific nodes in the knowledge graph by their names",
      inputSchema: OpenSchema,
      outputSchema: GraphSchema,
      annotations: READING,
    },
    guarded(logger, async ({ names }) => bounded(await (await store()).openNodes(names), graphCharsMax)),
  );
}

function addGraphResource({ server, options }: Offering, store: Stored): void {
  server.registerResource(
    "knowledge-graph",
    GRAPH_URI,
    {
      title: "Knowledge Graph",
      description: "The full knowledge graph with all entities and relations",
      mimeType: JSON_TYPE,
    },
    async ({ href }) => {
      const text = textOf(await (await store()).readGraph());
      if (text.length > options.graphCharsMax)
        throw new TypeError(tooLarge(text.length, options.graphCharsMax));
      return { contents: [{ uri: href, mimeType: JSON_TYPE, text }] };
    },
  );
}

/** As text the list alone. */
function listed(name: string, items: readonly object[]): CallToolResult {
  return { ...textAnswer(textOf(items)), structuredContent: { [name]: items } };
}

function done(message: string): CallToolResult {
  return { ...textAnswer(message), structuredContent: { success: true, message } };
}

function bounded(graph: Graph, charsMax: number): CallToolResult {
  const text = textOf(graph);
  if (text.length > charsMax) return failure(tooLarge(text.length, charsMax));
  return { ...textAnswer(text), structuredContent: { ...graph } };
}

function tooLarge(chars: number, charsMax: number): string {
  return `This would be ${chars} characters, more than ${charsMax}. Use search_nodes for what you need, or open_nodes by name.`;
}

function textOf(value: object): string {
  return JSON.stringify(value, null, 2);
}
