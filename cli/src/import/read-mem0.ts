import { FACT_LENGTH_MAX, factEntry, SubjectSchema, subjectNamespace } from "@membus/agentic/long-term";
import { canonicalText, factId } from "@membus/protocol/records";
import { z } from "zod";
import { instantOf, metadataOf, type Row, rowsOf, tagsIn, textIn } from "./foreign-values.js";
import { type ImportItem, problemOf, type ReadContext, rejected } from "./import-item.js";

const OwnerSchema = z.string().nullish();

const MemorySchema = z.looseObject({
  id: z.string().min(1),
  memory: z.string().min(1),
  user_id: OwnerSchema,
  agent_id: OwnerSchema,
  run_id: OwnerSchema,
  metadata: z.record(z.string(), z.json()).nullish(),
  categories: z.array(z.string()).nullish(),
});

type Memory = z.infer<typeof MemorySchema>;

/** Metadata of facts that other readers interpret. */
const RESERVED = [
  ...["kind", "parts", "about", "trust", "speaker", "category", "confidence", "mem0_id"],
  ...["valid_from", "valid_until", "superseded_by", "consolidation", "valid_until_before"],
];

/** Reads the result of `get_all`: each memory is a fact about its user, else its agent, else its run. */
export function readMem0(text: string, context: ReadContext): ImportItem[] {
  const rows = rowsOf(text, ["results", "memories"]);
  return Array.isArray(rows) ? rows.map((row) => readRow(row, context)) : [rows];
}

function readRow({ line, bytes, value }: Row, context: ReadContext): ImportItem {
  const { data, error } = MemorySchema.safeParse(value);
  if (data === undefined) {
    return rejected(line, bytes, problemOf(error, "row"));
  }
  const subject = subjectOf(data, context.user);
  if (subject === undefined) return rejected(line, bytes, "has no user_id. Name one with --user");
  const { error: invalid } = SubjectSchema.safeParse(subject);
  if (invalid !== undefined) return rejected(line, bytes, `${subject} ${invalid.issues[0]!.message}`);
  const fact = canonicalText(data.memory);
  if (fact === "") return rejected(line, bytes, "memory has no text");
  if (fact.length > FACT_LENGTH_MAX) {
    return rejected(line, bytes, `memory has ${fact.length} characters, limit ${FACT_LENGTH_MAX}`);
  }
  const entry = memoryEntry(fact, subject, data, context);
  return { line, bytes, entry, namespace: subjectNamespace(subject) };
}

function subjectOf({ user_id, agent_id, run_id }: Memory, user: string | undefined): string | undefined {
  if (textIn(user_id)) return `user:${user_id}`;
  if (user !== undefined) return `user:${user}`;
  if (textIn(agent_id)) return `agent:${agent_id}`;
  return textIn(run_id) ? `run:${run_id}` : undefined;
}

function memoryEntry(text: string, subject: string, memory: Memory, { modified }: ReadContext) {
  const { id, metadata, categories, agent_id, run_id, created_at, expiration_date } = memory;
  const until = instantOf(expiration_date);
  const owners = metadataOf({ agent_id, run_id }, [], "mem0");
  const category = textIn(metadata?.category);
  const { category: other, ...fields } = metadata ?? {};
  return factEntry(factId(text), subject, {
    text,
    trust: "user",
    category: category ?? categories?.[0],
    validFrom: instantOf(created_at) ?? modified,
    metadata: {
      ...metadataOf(category === undefined ? { ...fields, category: other } : fields, RESERVED, "mem0"),
      ...owners,
      mem0_id: id,
      ...(until !== undefined && { valid_until: until }),
    },
    settings: { tags: tagsIn(categories) },
  });
}
