import { systemClock } from "@membus/protocol";
import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { failure, guarded, textAnswer } from "../answers.js";
import { type Offering, READING } from "../offering.js";
import { EntitySchema, type Graph, RelationSchema } from "./graph.js";
import { GraphStore } from "./graph-store.js";

export const GRAPH_URI = "memory://knowledge-graph";

const CREATING = { ...READING, readOnlyHint: false, idempotentHint: false } satisfies ToolAnnotations;
const DELETING = { ...READING, readOnlyHint: false, destructiveHint: true } satisfies ToolAnnotations;
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

interface GraphTool<Input extends z.ZodObject> {
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly inputSchema: Input;
  readonly outputSchema: z.ZodObject;
  run(store: GraphStore, args: z.infer<Input>): Promise<CallToolResult>;
}

type Add = <Input extends z.ZodObject>(name: string, tool: GraphTool<Input>) => void;

/** The nine tools and the resource of the MCP reference memory server. */
export function addGraph(offering: Offering): void {
  const { server, memory, options, logger } = offering;
  const store = async () => new GraphStore(await memory(), options.tier, systemClock);
  const add: Add = (name, { run, ...config }) => {
    server.registerTool(
      name,
      config as Omit<GraphTool<z.ZodObject>, "run">,
      guarded(logger, async (args) => run(await store(), args as Parameters<typeof run>[1])),
    );
  };
  if (!options.readOnly) {
    addCreatingTools(add);
    addDeletingTools(add);
  }
  addReadingTools(add, options.graphCharsMax);
  addGraphResource(offering, store);
}

function addCreatingTools(add: Add): void {
  add("create_entities", {
    title: "Create Entities",
    description: "Create multiple new entities in the knowledge graph",
    annotations: CREATING,
    inputSchema: EntitiesSchema,
    outputSchema: EntitiesSchema,
    run: async (store, { entities }) => listed("entities", await store.createEntities(entities)),
  });
  add("create_relations", {
    title: "Create Relations",
    description:
      "Create multiple new relations between entities in the knowledge graph. Relations should be in active voice",
    annotations: CREATING,
    inputSchema: RelationsSchema,
    outputSchema: RelationsSchema,
    run: async (store, { relations }) => listed("relations", await store.createRelations(relations)),
  });
  add("add_observations", {
    title: "Add Observations",
    description: "Add new observations to existing entities in the knowledge graph",
    annotations: CREATING,
    inputSchema: AddObservationsSchema,
    outputSchema: AddedSchema,
    run: async (store, { observations }) => listed("results", await store.addObservations(observations)),
  });
}

function addDeletingTools(add: Add): void {
  const deleting = { annotations: DELETING, outputSchema: DoneSchema };
  add("delete_entities", {
    ...deleting,
    title: "Delete Entities",
    description: "Delete multiple entities and their associated relations from the knowledge graph",
    inputSchema: DeleteEntitiesSchema,
    run: (store, { entityNames }) => store.deleteEntities(entityNames).then(() => done("Entities")),
  });
  add("delete_observations", {
    ...deleting,
    title: "Delete Observations",
    description: "Delete specific observations from entities in the knowledge graph",
    inputSchema: DeleteObservationsSchema,
    run: (store, { deletions }) => store.deleteObservations(deletions).then(() => done("Observations")),
  });
  add("delete_relations", {
    ...deleting,
    title: "Delete Relations",
    description: "Delete multiple relations from the knowledge graph",
    inputSchema: DeleteRelationsSchema,
    run: (store, { relations }) => store.deleteRelations(relations).then(() => done("Relations")),
  });
}

function addReadingTools(add: Add, charsMax: number): void {
  const reading = { annotations: READING, outputSchema: GraphSchema };
  add("read_graph", {
    ...reading,
    title: "Read Graph",
    description: "Read the entire knowledge graph",
    inputSchema: z.object({}),
    run: async (store) => bounded(await store.readGraph(), charsMax),
  });
  add("search_nodes", {
    ...reading,
    title: "Search Nodes",
    description: "Search for nodes in the knowledge graph based on a query",
    inputSchema: SearchSchema,
    run: async (store, { query }) => bounded(await store.searchNodes(query), charsMax),
  });
  add("open_nodes", {
    ...reading,
    title: "Open Nodes",
    description: "Open specific nodes in the knowledge graph by their names",
    inputSchema: OpenSchema,
    run: async (store, { names }) => bounded(await store.openNodes(names), charsMax),
  });
}

function addGraphResource({ server, options }: Offering, store: () => Promise<GraphStore>): void {
  const description = "The full knowledge graph with all entities and relations";
  const config = { title: "Knowledge Graph", description, mimeType: JSON_TYPE };
  server.registerResource("knowledge-graph", GRAPH_URI, config, async ({ href }) => {
    const text = textOf(await (await store()).readGraph());
    if (text.length > options.graphCharsMax) throw new TypeError(tooLarge(text, options.graphCharsMax));
    return { contents: [{ uri: href, mimeType: JSON_TYPE, text }] };
  });
}

/** As text the list alone. */
function listed(name: string, items: readonly object[]): CallToolResult {
  return { ...textAnswer(textOf(items)), structuredContent: { [name]: items } };
}

function done(what: string): CallToolResult {
  const message = `${what} deleted successfully`;
  return { ...textAnswer(message), structuredContent: { success: true, message } };
}

function bounded(graph: Graph, charsMax: number): CallToolResult {
  const text = textOf(graph);
  if (text.length > charsMax) return failure(tooLarge(text, charsMax));
  return { ...textAnswer(text), structuredContent: { ...graph } };
}

function tooLarge({ length }: string, charsMax: number): string {
  return `This would be ${length} characters, more than ${charsMax}. Use search_nodes for what you need, or open_nodes by name.`;
}

function textOf(value: object): string {
  return JSON.stringify(value, null, 2);
}
