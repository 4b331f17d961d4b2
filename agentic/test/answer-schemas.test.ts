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
