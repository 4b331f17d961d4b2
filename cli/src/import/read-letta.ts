import { hash } from "node:crypto";
import { encodeSegment, recordEntry } from "@membus/protocol/records";
import { z } from "zod";
import { chatItem } from "./chat-item.js";
import { instantOf, textIn } from "./foreign-values.js";
import { type ImportItem, problemOf, rejected } from "./import-item.js";
import { messageText } from "./letta-message.js";

const BlockSchema = z.looseObject({
  id: z.string().optional(),
  label: z.string().min(1),
  value: z.string(),
  limit: z.int().min(1).nullish(),
  read_only: z.boolean().nullish(),
  description: z.string().nullish(),
});
type LettaBlock = z.infer<typeof BlockSchema>;

const AgentSchema = z.looseObject({
  name: z.string().min(1),
  block_ids: z.array(z.string()).nullish(),
  /** Blocks of the agent itself. The first version of the format has them in `core_memory`. */
  memory_blocks: z.array(z.unknown()).nullish(),
  core_memory: z.array(z.unknown()).nullish(),
  messages: z.array(z.unknown()).nullish(),
});
type LettaAgent = z.infer<typeof AgentSchema>;

const FileSchema = z.union([
  z.looseObject({ agents: z.array(AgentSchema).min(1), blocks: z.array(z.unknown()).nullish() }),
  AgentSchema,
]);

/** Limit of a block without one. Letta's default. */
const LIMIT_DEFAULT = 20_000;

/** Limit of the searched text of a block. */
const INDEXED_LENGTH_MAX = 8_192;

/** Reads an agent file of Letta: the memory blocks and the messages of its agents. */
export function* readLetta(text: string): Generator<ImportItem> {
  const { file, problem } = parseFile(text);
  if (file === undefined) {
    yield { line: 1, bytes: text.length, problem };
    return;
  }
  const agents = "agents" in file ? (file.agents as LettaAgent[]) : [file as LettaAgent];
  const shared = "blocks" in file ? ((file.blocks ?? []) as unknown[]) : [];
  for (const [index, agent] of agents.entries()) {
    // `Blocks` reads this namespace. Agents of one file can have blocks with the same label.
    const namespace = agents.length === 1 ? "blocks" : `blocks/${encodeSegment(agent.name)}`;
    for (const block of blocksOf(agent, shared)) yield { ...readBlock(index + 1, block), namespace };
    for (const message of agent.messages ?? []) yield* readMessage(index + 1, agent, message);
  }
}

function parseFile(text: string) {
  try {
    const { data, error } = FileSchema.safeParse(JSON.parse(text));
    return data === undefined ? { problem: problemOf(error, "file") } : { file: data };
  } catch (error) {
    return { problem: `not valid JSON: ${(error as Error).message}` };
  }
}

function blocksOf(agent: LettaAgent, shared: readonly unknown[]): unknown[] {
  const ids = new Set(agent.block_ids ?? []);
  const named = shared.filter((block) => ids.has(String((block as { id?: unknown } | null)?.id)));
  return [...named, ...(agent.memory_blocks ?? []), ...(agent.core_memory ?? [])];
}

function readBlock(line: number, value: unknown): ImportItem {
  const { data, error } = BlockSchema.safeParse(value);
  if (data === undefined) return rejected(line, 0, `block: ${problemOf(error, "block")}`);
  return { line, bytes: Buffer.byteLength(data.value), entry: { ...blockEntry(data), if_revision: 0 } };
}

function blockEntry({ label, value, description, limit, read_only }: LettaBlock) {
  const record = recordEntry({
    kind: "block",
    key: { block: label },
    content: {
      value,
      description: description ?? "",
      limit: limit ?? Math.max(LIMIT_DEFAULT, [...value].length),
      read_only: read_only ?? false,
    },
    metadata: { label, source: "letta" },
  });
  return { ...record, text: `${description ?? ""}\n${value}`.slice(0, INDEXED_LENGTH_MAX).toWellFormed() };
}

function* readMessage(line: number, { name }: LettaAgent, value: unknown): Generator<ImportItem> {
  const found = messageText(value);
  if (typeof found === "string") yield rejected(line, 0, `message: ${found}`);
  if (typeof found !== "object") return;
  const { role, text, createdAt, sender } = found;
  yield chatItem({
    line,
    source: "letta",
    conversation: name,
    title: name,
    // Ids of a file count its messages, so they differ between two exports of an agent.
    id: hash("sha256", `${role}\n${createdAt ?? ""}\n${text}`).slice(0, 32),
    role,
    name: textIn(sender),
    text,
    at: instantOf(createdAt),
  });
}
