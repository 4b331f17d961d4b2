import { z } from "zod";
import { NAME_ARGUMENT_LENGTH_MAX, type Tool, typedTool } from "../tools/index.js";
import type { KnowledgeGraph } from "./knowledge-graph.js";
import type { Triple } from "./triple.js";

/** Maximum triples in one result. */
const ANSWER_COUNT_MAX = 50;

const TripleSchema = z.object({
  subject: z
    .string()
    .min(1)
    .max(NAME_ARGUMENT_LENGTH_MAX)
    .describe("Name of the node that the statement is about."),
  predicate: z
    .string()
    .min(1)
    .max(NAME_ARGUMENT_LENGTH_MAX)
    .describe("A short verb phrase: works_at, lives_in, is_a."),
  object: z.string().min(1).max(NAME_ARGUMENT_LENGTH_MAX).describe("Name of another node, or a value."),
});
const node = z.string().min(1).max(NAME_ARGUMENT_LENGTH_MAX).describe("Name of a node.");
const part = z
  .string()
  .max(NAME_ARGUMENT_LENGTH_MAX)
  .optional()
  .describe("Exact value of this part. Omit it to match any value.");

/**
 * Returns tools for a graph of statements: add, remove, query by parts, search by text, list neighbours, find
 * paths.
 */
export function graphTools(graph: KnowledgeGraph): Tool[] {
  return [...changingTools(graph), ...askingTools(graph), ...walkingTools(graph)];
}

function changingTools(graph: KnowledgeGraph): Tool[] {
  return [
    typedTool({
      name: "graph_add",
      description: "Add statements to the knowledge graph. Known statements are not added twice.",
      parameters: z.object({ triples: z.array(TripleSchema).min(1).max(100) }),
      async run({ triples }, { signal }) {
        const added = await graph.add(triples, { signal });
        return added
          .map(
            ({ triple, outcome, error }) =>
              `${outcome}: ${words(triple)}${error ? ` (${error.message})` : ""}`,
          )
          .join("\n");
      },
    }),
    typedTool({
      name: "graph_remove",
      description: "Remove statements that are no longer true from the knowledge graph.",
      parameters: z.object({ triples: z.array(TripleSchema).min(1).max(100) }),
      async run({ triples }, { signal }) {
        const { deleted, notFound } = await graph.remove(triples, { signal });
        return [
          ...deleted.map((triple) => `removed: ${words(triple)}`),
          ...notFound.map((triple) => `not found: ${words(triple)}`),
        ].join("\n");
      },
    }),
  ];
}

function askingTools(graph: KnowledgeGraph): Tool[] {
  return [
    typedTool({
      name: "graph_query",
      description: "List statements of the knowledge graph by subject, predicate and object.",
      parameters: z.object({ subject: part, predicate: part, object: part }),
      async run(pattern, { signal }) {
        const { triples, total } = await graph.query(pattern, { signal, limit: ANSWER_COUNT_MAX });
        return listed(
          triples.map(words),
          total > triples.length && `${total} in total. Use a narrower query`,
        );
      },
    }),
    typedTool({
      name: "graph_search",
      description: "Find statements of the knowledge graph that match a question, best first.",
      parameters: z.object({ query: z.string().min(1).max(NAME_ARGUMENT_LENGTH_MAX) }),
      async run({ query }, { signal }) {
        const { triples } = await graph.search(query, { signal });
        return listed(triples.map((triple) => `${words(triple)} (score ${triple.score.toFixed(2)})`));
      },
    }),
  ];
}

function walkingTools(graph: KnowledgeGraph): Tool[] {
  return [
    typedTool({
      name: "graph_neighbours",
      description: "List the neighbours of a node of the knowledge graph.",
      parameters: z.object({
        node,
        direction: z
          .enum(["out", "in", "both"])
          .optional()
          .describe("out: statements about the node. in: statements that mention it as object."),
      }),
      async run({ node: name, direction }, { signal }) {
        const options = { signal, direction, limit: ANSWER_COUNT_MAX };
        const { neighbours, truncated } = await graph.neighbours(name, options);
        return listed(
          neighbours.map(({ triple }) => words(triple)),
          truncated && "there are more",
        );
      },
    }),
    typedTool({
      name: "graph_paths",
      description: "Find the shortest paths between two nodes of the knowledge graph.",
      parameters: z.object({ from: node, to: node }),
      async run({ from, to }, { signal }) {
        const { paths, truncated } = await graph.paths(from, to, { signal });
        return listed(
          paths.map(({ triples }) => triples.map(words).join("; ")),
          truncated && "a limit was reached, there may be other paths",
        );
      },
    }),
  ];
}

function words({ subject, predicate, object }: Pick<Triple, "subject" | "predicate" | "object">): string {
  return `${subject} | ${predicate} | ${object}`;
}

function listed(lines: readonly string[], note: string | false = false): string {
  const text = lines.length === 0 ? "Nothing found." : lines.map((line, n) => `${n + 1}. ${line}`).join("\n");
  return note === false ? text : `${text}\n(${note})`;
}
