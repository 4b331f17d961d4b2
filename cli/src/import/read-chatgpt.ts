import { RoleSchema } from "@membus/protocol/records";
import { z } from "zod";
import { chatItem } from "./chat-item.js";
import { instantOf, type Row, rowsOf, textIn } from "./foreign-values.js";
import { type ImportItem, problemOf, rejected } from "./import-item.js";

const MessageSchema = z.looseObject({
  id: z.string().min(1),
  author: z.looseObject({ role: z.string(), name: z.string().nullish() }),
  content: z.looseObject({ parts: z.array(z.unknown()).nullish(), text: z.unknown().optional() }).nullish(),
  metadata: z.looseObject({ is_visually_hidden_from_conversation: z.boolean().nullish() }).nullish(),
});

const ConversationSchema = z
  .looseObject({
    conversation_id: z.string().min(1).optional(),
    id: z.string().min(1).optional(),
    title: z.string().nullish(),
    current_node: z.string().nullish(),
    mapping: z.record(z.string(), z.looseObject({ parent: z.string().nullish(), message: z.unknown() })),
  })
  .refine(({ conversation_id, id }) => (conversation_id ?? id) !== undefined, "has no id");

type Conversation = z.infer<typeof ConversationSchema>;

/** Reads conversations.json of a ChatGPT data export: the messages from the root to `current_node`. */
export function* readChatgpt(text: string): Generator<ImportItem> {
  const rows = rowsOf(text, ["conversations"]);
  if (!Array.isArray(rows)) yield rows;
  else for (const row of rows) yield* readConversation(row);
}

function* readConversation({ line, bytes, value }: Row): Generator<ImportItem> {
  const { data, error } = ConversationSchema.safeParse(value);
  if (data === undefined) {
    yield rejected(line, bytes, problemOf(error, "conversation"));
    return;
  }
  for (const message of shownMessages(data)) yield* readMessage(line, data, message);
}

/** Returns the messages of the shown branch, oldest first. Without a `current_node`, it ends at the last node. */
function shownMessages({ mapping, current_node }: Conversation): unknown[] {
  const messages: unknown[] = [];
  const seen = new Set<string>();
  let id = current_node ?? Object.keys(mapping).at(-1);
  while (id !== undefined && Object.hasOwn(mapping, id) && !seen.has(id)) {
    seen.add(id);
    const { message, parent } = mapping[id]!;
    if (message != null) messages.push(message);
    id = parent ?? undefined;
  }
  return messages.reverse();
}

function* readMessage(line: number, conversation: Conversation, value: unknown): Generator<ImportItem> {
  const { data, error } = MessageSchema.safeParse(value);
  if (data === undefined) {
    yield rejected(line, 0, `message: ${problemOf(error, "row")}`);
    return;
  }
  const { id, author, content, metadata, create_time } = data;
  const words = [...(content?.parts ?? []), content?.text].flatMap((part) => textIn(part) ?? []);
  if (words.length === 0 || metadata?.is_visually_hidden_from_conversation === true) return;
  const role = RoleSchema.safeParse(author.role).data;
  if (role === undefined) {
    yield rejected(line, 0, `message ${id}: unknown role ${author.role}`);
    return;
  }
  yield chatItem({
    line,
    source: "chatgpt",
    conversation: (conversation.conversation_id ?? conversation.id)!,
    title: textIn(conversation.title),
    id,
    role,
    name: textIn(author.name),
    text: words.join("\n\n"),
    at: instantOf(create_time) ?? instantOf(conversation.create_time),
  });
}
