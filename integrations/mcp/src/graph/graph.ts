import { z } from "zod";

/** The words and shapes of `@modelcontextprotocol/server-memory`, to the letter. */
export const EntitySchema = z.object({
  name: z.string().describe("The name of the entity"),
  entityType: z.string().describe("The type of the entity"),
  observations: z.array(z.string()).describe("An array of observation contents associated with the entity"),
});

export const RelationSchema = z.object({
  from: z.string().describe("The name of the entity where the relation starts"),
  to: z.string().describe("The name of the entity where the relation ends"),
  relationType: z.string().describe("The type of the relation"),
});

export type Entity = z.infer<typeof EntitySchema>;
export type Relation = z.infer<typeof RelationSchema>;

export interface Graph {
  readonly entities: readonly Entity[];
  readonly relations: readonly Relation[];
}

export interface Observations {
  readonly entityName: string;
  readonly contents: readonly string[];
}

export interface AddedObservations {
  readonly entityName: string;
  readonly addedObservations: string[];
}

export interface Deletion {
  readonly entityName: string;
  readonly observations: readonly string[];
}
