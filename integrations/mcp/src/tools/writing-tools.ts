import { createHash } from "node:crypto";
import type { EntryInput } from "@membus/agent-client";
import { aboutOf, type Json, type MemoryKey, type MemoryTier } from "@membus/protocol";
import { z } from "zod";
import { answer, errorText, failure, guarded } from "../answers.js";
import { memoryUri, parseReference } from "../memory-uri.js";
import type { Offering } from "../offering.js";
import { FACTS_TIER, factEntry, type StoredMemories, storeMemories } from "./facts.js";
import { keyText } from "./memory-view.js";
import { TierSchema } from "./reading-tools.js";

/** What names a memory for the tools that read would be another's name here. */
const KeySchema = z
  .string()
  .min(1)
  .max(1_024)
  .refine(
    (text) => parseReference(text).key === text,
    "a URI or a key of several fields is read only: give a name",
  );
const tier = TierSchema.optional().describe(
  "working: for this task, gone when the memory stops. episodic: kept, this agent's own. semantic: kept, shared with all agents.",
);
const tags = z
  .array(z.string().min(1).max(256))
  .max(100)
  .optional()
  .describe("Labels to find or forget it by.");
const ttl = z.number().positive().max(1e10).optional().describe("Seconds until it is forgotten by itself.");
const importance = z
  .number()
  .min(0)
  .max(1)
  .optional()
  .describe("How much it counts in searches: 0.5 unless given.");

const StoreSchema = z.strictObject({
  memories: z
    .array(
      z.strictObject({
        content: z.string().min(1).describe("One fact that is understood by itself: names, dates, values."),
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
  key: KeySchema.describe("Its name. A value that is there already is replaced."),
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

/** `memory_store` and `memory_remember`. */
export function addWritingTools({ server, memory, options, logger }: Offering): void {
  server.registerTool(
    "memory_store",
    {
      title: "Store memories",
      description:
        "Remember facts, decisions and preferences for later conversations. Without a key the same text is kept once, however often it is stored.",
      inputSchema: StoreSchema,
      outputSchema: StoredSchema,
      annotations: { ...WRITING, destructiveHint: false },
    },
    guarded(logger, async ({ memories, tier = options.tier }) => {
      const agent = await memory();
      const about = tier === FACTS_TIER ? aboutOf(agent.namespace) : undefined;
      return storedAnswer(
        await storeMemories(
          agent,
          memories.map((each) => entryOf(each, tier, about)),
        ),
        tier,
      );
    }),
  );
  server.registerTool(
    "memory_remember",
    {
      title: "Remember one value",
      description:
        "Store a value under an exact key, in place of what was there. memory_recall gives it back.",
      inputSchema: RememberSchema,
      outputSchema: RememberedSchema,
      annotations: WRITING,
    },
    guarded(logger, async ({ key, value, importance: score, tier = options.tier, tags, ttl }) => {
      const settings = Object.entries({ tier, tags, ttl, score }).filter(([, given]) => given !== undefined);
      const receipt = await (await memory()).remember(key, value as Json, Object.fromEntries(settings));
      const { outcome, revision, key_hash } = receipt;
      return answer({ key, outcome, revision, uri: memoryUri({ tier, key_hash }) });
    }),
  );
}

type GivenMemory = z.infer<typeof StoreSchema>["memories"][number];

/** What has a name is kept as it is; a text without one is a fact where facts are. */
function entryOf({ content, key, ...settings }: GivenMemory, tier: MemoryTier, about: string | undefined) {
  const entry =
    key === undefined && about !== undefined && content.trim() !== ""
      ? factEntry(content, about)
      : { content, key: key ?? keyOf(content), tier };
  return { ...settings, ...entry } as EntryInput;
}

/** So that a text that is told twice is there once. */
function keyOf(content: string): string {
  return `text-${createHash("sha256").update(content).digest("hex").slice(0, 24)}`;
}

function storedAnswer({ stored: memories, errors: refused }: StoredMemories, tier: MemoryTier) {
  const stored = memories.map(({ entry, outcome, key_hash }) => ({
    key: typeof entry.key === "string" ? entry.key : keyText(entry.key as MemoryKey),
    outcome,
    uri: memoryUri({ tier, key_hash }),
  }));
  const errors = refused.map(({ index, code, message }) => ({ index, error: errorText(code, message) }));
  if (stored.length === 0) return failure(errors.map(({ error }) => error).join("\n"));
  return answer({ stored, errors });
}
