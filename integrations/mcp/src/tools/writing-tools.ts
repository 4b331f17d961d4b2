import { createHash } from "node:crypto";
import type { EntrySettings } from "@membus/agentic/long-term";
import type { Json, MemoryTier } from "@membus/protocol";
import { z } from "zod";
import { memoryUri, parseReference } from "../memory-uri.js";
import { errorResult, errorText, structuredResult, withErrors } from "../results.js";
import type { ServerParts } from "../server-parts.js";
import { TierSchema } from "./reading-tools.js";
import { isFact, type NewMemory, type StoredMemories, storeMemories } from "./store-memories.js";

/** A name that the reading tools parse as a URI or a key with several fields is rejected. */
const KeySchema = z
  .string()
  .min(1)
  .max(1_024)
  .refine(
    (text) => parseReference(text).key === text,
    "URIs and keys with several fields are read-only. Give a name",
  );
const tier = TierSchema.optional().describe(
  "working: for this task, lost when the memory stops. episodic: persistent, only for this agent. semantic: persistent, shared with all agents.",
);
const tags = z
  .array(z.string().min(1).max(256))
  .max(100)
  .optional()
  .describe("Labels to find or forget it by.");
const ttl = z.number().positive().max(1e10).optional().describe("Seconds until it is deleted automatically.");
const importance = z.number().min(0).max(1).optional().describe("Weight in searches, 0..1. Default: 0.5.");

const StoreSchema = z.strictObject({
  memories: z
    .array(
      z.strictObject({
        content: z.string().min(1).describe("One self-contained fact, with names, dates and values."),
        key: KeySchema.optional().describe("A name to replace or recall it by."),
        tags,
        ttl,
        importance,
      }),
    )
    .min(1)
    .max(100),
  tier,
});
const StoredSchema = z.object({
  stored: z.array(z.object({ key: z.string(), outcome: z.string(), uri: z.string() })),
  errors: z.array(z.object({ index: z.int(), error: z.string() })),
});

const RememberSchema = z.strictObject({
  key: KeySchema.describe("Name of the value. An existing value is replaced."),
  value: z.unknown().describe("Text, or any JSON value."),
  tier,
  tags,
  ttl,
  importance,
});
const RememberedSchema = z.object({
  key: z.string(),
  outcome: z.string(),
  revision: z.int(),
  uri: z.string(),
});

const WRITING = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** Adds `memory_store` and `memory_remember`. */
export function addWritingTools({ server, memory, options, logger }: ServerParts): void {
  server.registerTool(
    "memory_store",
    {
      title: "Store memories",
      description:
        "Store facts, decisions and preferences for later conversations. Without a key the same text is stored only once.",
      inputSchema: StoreSchema,
      outputSchema: StoredSchema,
      annotations: { ...WRITING, destructiveHint: false },
    },
    withErrors(logger, async ({ memories, tier = options.tier }) => {
      const agent = await memory();
      const given = memories.map((each) => newMemory(each, tier, agent.namespace));
      return storedAnswer(await storeMemories(agent, given), tier);
    }),
  );
  server.registerTool(
    "memory_remember",
    {
      title: "Remember one value",
      description: "Store a value under an exact key, replacing an existing value. memory_recall returns it.",
      inputSchema: RememberSchema,
      outputSchema: RememberedSchema,
      annotations: WRITING,
    },
    withErrors(logger, async ({ key, value, importance: score, tier = options.tier, tags, ttl }) => {
      const settings = Object.entries({ tier, tags, ttl, score }).filter(([, given]) => given !== undefined);
      const receipt = await (await memory()).remember(key, value as Json, Object.fromEntries(settings));
      const { outcome, revision, key_hash } = receipt;
      return structuredResult({ key, outcome, revision, uri: memoryUri({ tier, key_hash }) });
    }),
  );
}

type GivenMemory = z.infer<typeof StoreSchema>["memories"][number];

function newMemory({ content, key, ...given }: GivenMemory, tier: MemoryTier, namespace: string): NewMemory {
  const settings = given as EntrySettings;
  if (key === undefined && isFact(content, tier, namespace)) {
    return { fact: { ...settings, text: content } };
  }
  return { entry: { ...settings, content, key: key ?? keyOf(content), tier } };
}

/** Returns a key for a text without one, so that the same text is stored once. */
function keyOf(content: string): string {
  return `text-${createHash("sha256").update(content).digest("hex").slice(0, 24)}`;
}

function storedAnswer({ stored: memories, errors: rejected }: StoredMemories, tier: MemoryTier) {
  const stored = memories.map(({ key, outcome, key_hash }) => ({
    key,
    outcome,
    uri: memoryUri({ tier, key_hash }),
  }));
  const errors = rejected.map(({ index, code, message }) => ({ index, error: errorText(code, message) }));
  if (stored.length === 0) return errorResult(errors.map(({ error }) => error).join("\n"));
  return structuredResult({ stored, errors });
}
