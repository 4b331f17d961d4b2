import { z } from "zod";
import { type Tool, typedTool } from "../tools/index.js";
import type { KnowledgeGraph } from "./knowledge-graph.js";
import type { Triple } from "./triple.js";

/** Triples that one answer lists. */
const ANSWER_COUNT_MAX = 50;

const TripleSchema = z.object({
  subject: z.string().min(1).describe("What it is said of: a name."),
  predicate: z.string().min(1).describe("A short verb phrase: works_at, lives_in, is_a."),
  object: z.string().min(1).describe("What is said of it: another name, or a value."),
});
const node = z.string().min(1).describe("The name of a node.");
const part = z.string().optional().describe("Only with exactly this; leave it out for any.");

/** A graph of statements: add, remove, ask by parts or in words, look around a node, find a way between two. */
export function graphTools(graph: KnowledgeGraph): Tool[] {
  return [...changingTools(graph), ...askingTools(graph), ...walkingTools(graph)];
}

function changingTools(graph: KnowledgeGraph): Tool[] {
  return [
    typedTool({
      name: "graph_add",
      description: "Remember statements in the knowledge graph. What is known already is not added twice.",
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
      description: "Remove statements from the knowledge graph that are no longer true.",
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
        return listed(triples.map(words), total > triples.length && `${total} in all: ask for fewer`);
      },
    }),
    typedTool({
      name: "graph_search",
      description: "Find statements of the knowledge graph that answer a question, the best first.",
      parameters: z.object({ query: z.string().min(1) }),
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
      description: "List what a node of the knowledge graph is joined to.",
      parameters: z.object({
        node,
        direction: z
          .enum(["out", "in", "both"])
          .optional()
          .describe("out: what it does; in: what is done to it."),
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
      description: "Find the shortest ways in the knowledge graph from one node to another.",
      parameters: z.object({ from: node, to: node }),
      async run({ from, to }, { signal }) {
        const { paths, truncated } = await graph.paths(from, to, { signal });
        return listed(
          paths.map(({ triples }) => triples.map(words).join("; ")),
          truncated && "a bound was reached: there may be others",
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
