import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { ConversationSummarySchema } from "../src/context/summarize.js";
import { StatementsSchema } from "../src/graph/extract-triples.js";
import { ResolutionsSchema } from "../src/learner/fact-group.js";
import { DecisionsSchema } from "../src/long-term/facts/decide.js";
import { factsSchema } from "../src/long-term/facts/extract.js";
import { LongTermOptionsSchema } from "../src/long-term/long-term-options.js";
import { GuidelineSchema } from "../src/long-term/procedural/guideline.js";
import { ExperiencesSchema } from "../src/long-term/procedural/record-experiences.js";
import { jsonSchemaOf } from "../src/model/generate/json-schema.js";
import { OUTPUT_TOKENS_MAX, outputLimit } from "../src/model/generate/output-limit.js";
import {
  agentScopeTools,
  archivalTools,
  Blocks,
  blockTools,
  conversationTools,
  coreMemoryTools,
  EntityGraph,
  entityTools,
  fileTools,
  gaiaTools,
  graphTools,
  KnowledgeGraph,
  MEMORY_TOOL_NAMES,
  MemoryFiles,
  openConversation,
  ProgressiveMemory,
  toJsonSchema,
} from "./every-export.js";
import { openLongTerm, openMemory } from "./long-term-fixture.js";
import { call, idsIn } from "./progressive-fixture.js";

const { factCountMax } = LongTermOptionsSchema.parse({ subject: "user:abc123" });

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  "context/summarize.ts": ConversationSummarySchema,
  "graph/extract-triples.ts": StatementsSchema,
  "learner/fact-group.ts": ResolutionsSchema,
  "long-term/facts/decide.ts": DecisionsSchema,
  "long-term/facts/extract.ts": factsSchema(factCountMax!),
  "long-term/procedural/guideline.ts": GuidelineSchema,
  "long-term/procedural/record-experiences.ts": ExperiencesSchema,
};

describe("a schema that a model fills", () => {
  it.each(Object.entries(SCHEMAS))("has a bound for every value: %s", (name, schema) => {
    const limit = outputLimit(jsonSchemaOf(schema), name);
    expect(limit).toBeGreaterThan(0);
    expect(limit).toBeLessThanOrEqual(OUTPUT_TOKENS_MAX);
  });

  it("is listed here for every question", () => {
    const folder = new URL("../src/", import.meta.url);
    const asking = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (file) =>
        file.endsWith(".ts") && /await generateObject\(/.test(readFileSync(new URL(file, folder), "utf8")),
    );
    expect(asking.map((file) => file.replaceAll("\\", "/")).sort()).toEqual(Object.keys(SCHEMAS));
  });
});

/** Returns the paths of values of a JSON Schema that have no maximum. Other fields of an object count as one value. */
function unboundedPaths(node: JsonSchema, path: string): string[] {
  const { type, anyOf = [], properties = {}, items, additionalProperties } = node;
  const inner = [
    ...anyOf.flatMap((one) => unboundedPaths(one, path)),
    ...Object.entries(properties).flatMap(([name, field]) => unboundedPaths(field, `${path}.${name}`)),
    ...(items === undefined ? [] : unboundedPaths(items, `${path}[]`)),
    ...(typeof additionalProperties === "object" ? unboundedPaths(additionalProperties, `${path}.*`) : []),
  ];
  const isEndless =
    (type === "string" && node.maxLength === undefined && node.enum === undefined) ||
    (type === "array" && node.maxItems === undefined) ||
    ((type === "number" || type === "integer") && (node.minimum === undefined || node.maximum === undefined));
  return isEndless ? [path, ...inner] : inner;
}

interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

describe("the arguments of a tool", () => {
  it("have a bound for every value, except patches of blocks and whole messages", async () => {
    const memory = await openMemory();
    const { longTerm } = await openLongTerm({ client: memory });
    const conversation = await openConversation(memory, { id: "c1" });
    const progressive = new ProgressiveMemory(memory);
    const messages = [{ role: "user", content: "Hello" }];
    const [historyId] = idsIn(await call(progressive, "add_history_memory", { messages }));
    const binding = {
      historyId: historyId!,
      memoryType: "personal",
      memoryTarget: "ann",
      handler: { types: ["personal"], run: async () => "" },
    } as const;
    const memoryTools = await progressive.tools(MEMORY_TOOL_NAMES, binding as never, {
      addMetadata: true,
    });
    const tools = [
      ...blockTools(new Blocks(memory)),
      ...coreMemoryTools(new Blocks(memory)),
      ...fileTools(new MemoryFiles(memory)),
      ...graphTools(new KnowledgeGraph(memory)),
      ...entityTools(new EntityGraph(memory)),
      ...agentScopeTools(longTerm),
      ...gaiaTools(longTerm),
      ...archivalTools(longTerm),
      ...conversationTools(conversation),
      ...memoryTools,
    ];
    const paths = tools.flatMap((tool) => unboundedPaths(toJsonSchema(tool) as JsonSchema, tool.name));
    const isExempt = (path: string) => /^memory_patch\.patch|^add_history_memory\./.test(path);
    expect(paths.filter((path) => !isExempt(path))).toEqual([]);
  });
});
