import type { EntityGraph } from "@membus/agentic";
import type { EntitiesAndRelations } from "@membus/agentic/graph";
import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/server";
import { z } from "zod";
import { errorResult, textResult, withErrors } from "../results.js";
import { READ_ONLY, type ServerParts } from "../server-parts.js";
import { EntitySchema, RelationSchema } from "./graph-schemas.js";
import { referenceGraph } from "./reference-graph.js";

export const GRAPH_URI = "memory://knowledge-graph";

const CREATING = { ...READ_ONLY, readOnlyHint: false, idempotentHint: false } satisfies ToolAnnotations;
const DELETING = { ...READ_ONLY, readOnlyHint: false, destructiveHint: true } satisfies ToolAnnotations;
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
  run(graph: EntityGraph, args: z.infer<Input>): Promise<CallToolResult>;
}

type Add = <Input extends z.ZodObject>(name: string, tool: GraphTool<Input>) => void;

/** Adds the nine tools and the resource of the MCP reference memory server. */
export function addGraph(parts: ServerParts): void {
  const { server, memory, options, logger } = parts;
  const graph = async () => referenceGraph(await memory(), options.tier);
  const add: Add = (name, { run, ...config }) => {
    server.registerTool(
      name,
      config as Omit<GraphTool<z.ZodObject>, "run">,
      withErrors(logger, async (args) => run(await graph(), args as Parameters<typeof run>[1])),
    );
  };
  if (!options.readOnly) {
    addCreatingTools(add);
    addDeletingTools(add);
  }
  addReadingTools(add, options.graphCharsMax);
  addGraphResource(parts, graph);
}

function addCreatingTools(add: Add): void {
  add("create_entities", {
    title: "Create Entities",
    description: "Create multiple new entities in the knowledge graph",
    annotations: CREATING,
    inputSchema: EntitiesSchema,
    outputSchema: EntitiesSchema,
    run: async (graph, { entities }) => listed("entities", await graph.createEntities(entities)),
  });
  add("create_relations", {
    title: "Create Relations",
    description:
      "Create multiple new relations between entities in the knowledge graph. Relations should be in active voice",
    annotations: CREATING,
    inputSchema: RelationsSchema,
    outputSchema: RelationsSchema,
    run: async (graph, { relations }) => listed("relations", await graph.createRelations(relations)),
  });
  add("add_observations", {
    title: "Add Observations",
    description: "Add new observations to existing entities in the knowledge graph",
    annotations: CREATING,
    inputSchema: AddObservationsSchema,
    outputSchema: AddedSchema,
    run: async (graph, { observations }) => {
      const { added } = await graph.addObservations(observations, { requireAll: true });
      return listed("results", added);
    },
  });
}

function addDeletingTools(add: Add): void {
  const deleting = { annotations: DELETING, outputSchema: DoneSchema };
  add("delete_entities", {
    ...deleting,
    title: "Delete Entities",
    description: "Delete multiple entities and their associated relations from the knowledge graph",
    inputSchema: DeleteEntitiesSchema,
    run: (graph, { entityNames }) => graph.deleteEntities(entityNames).then(() => done("Entities")),
  });
  add("delete_observations", {
    ...deleting,
    title: "Delete Observations",
    description: "Delete specific observations from entities in the knowledge graph",
    inputSchema: DeleteObservationsSchema,
    run: (graph, { deletions }) => graph.deleteObservations(deletions).then(() => done("Observations")),
  });
  add("delete_relations", {
    ...deleting,
    title: "Delete Relations",
    description: "Delete multiple relations from the knowledge graph",
    inputSchema: DeleteRelationsSchema,
    run: (graph, { relations }) => graph.deleteRelations(relations).then(() => done("Relations")),
  });
}

function addReadingTools(add: Add, charsMax: number): void {
  const reading = { annotations: READ_ONLY, outputSchema: GraphSchema };
  add("read_graph", {
    ...reading,
    title: "Read Graph",
    description: "Read the entire knowledge graph",
    inputSchema: z.object({}),
    run: async (graph) => graphResult(await graph.readGraph(), charsMax),
  });
  add("search_nodes", {
    ...reading,
    title: "Search Nodes",
    description: "Search for nodes in the knowledge graph based on a query",
    inputSchema: SearchSchema,
    run: async (graph, { query }) => graphResult(await graph.searchNodes(query), charsMax),
  });
  add("open_nodes", {
    ...reading,
    title: "Open Nodes",
    description: "Open specific nodes in the knowledge graph by their names",
    inputSchema: OpenSchema,
    run: async (graph, { names }) => graphResult(await graph.openNodes(names), charsMax),
  });
}

function addGraphResource({ server, options }: ServerParts, graph: () => Promise<EntityGraph>): void {
  const description = "The full knowledge graph with all entities and relations";
  const config = { title: "Knowledge Graph", description, mimeType: JSON_TYPE };
  server.registerResource("knowledge-graph", GRAPH_URI, config, async ({ href }) => {
    const text = textOf(plainGraph(await (await graph()).readGraph()));
    if (text.length > options.graphCharsMax) throw new TypeError(tooLarge(text, options.graphCharsMax));
    return { contents: [{ uri: href, mimeType: JSON_TYPE, text }] };
  });
}

/** Returns the list as structure, and as text without its field name. */
function listed(name: string, items: readonly object[]): CallToolResult {
  return { ...textResult(textOf(items)), structuredContent: { [name]: items } };
}

function done(what: string): CallToolResult {
  const message = `${what} deleted successfully`;
  return { ...textResult(message), structuredContent: { success: true, message } };
}

function graphResult(found: EntitiesAndRelations, charsMax: number): CallToolResult {
  const graph = plainGraph(found);
  const text = textOf(graph);
  if (text.length > charsMax) return errorResult(tooLarge(text, charsMax));
  return { ...textResult(text), structuredContent: { ...graph } };
}

/** Returns only the fields that the reference server has. */
function plainGraph({ entities, relations }: EntitiesAndRelations): EntitiesAndRelations {
  return { entities, relations };
}

function tooLarge({ length }: string, charsMax: number): string {
  return `The result has ${length} characters, limit ${charsMax}. Use search_nodes with a narrower query, or open_nodes by name.`;
}

function textOf(value: object): string {
  return JSON.stringify(value, null, 2);
}
