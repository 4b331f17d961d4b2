import { z } from "zod";
import { chatItem } from "./chat-item.js";
import { isClaudeMemory, readClaudeMemory } from "./claude-memory.js";
import { instantOf, type Row, rowsOrLines, textIn } from "./foreign-values.js";
import { type ImportItem, problemOf, type ReadContext, rejected } from "./import-item.js";

const MessageSchema = z.looseObject({
  uuid: z.string().min(1),
  sender: z.enum(["human", "assistant"]),
  text: z.string().nullish(),
  content: z.array(z.looseObject({ type: z.string(), text: z.unknown().optional() })).nullish(),
  attachments: z
    .array(z.looseObject({ file_name: z.string().nullish(), extracted_content: z.string().nullish() }))
    .nullish(),
});

const ConversationSchema = z.looseObject({
  uuid: z.string().min(1),
  name: z.string().nullish(),
  chat_messages: z.array(z.unknown()),
});

type Conversation = z.infer<typeof ConversationSchema>;
type Message = z.infer<typeof MessageSchema>;

/** Reads conversations.json or memories.json of a Claude data export. */
export function* readClaude(text: string, { modified }: ReadContext): Generator<ImportItem> {
  const rows = rowsOrLines(text, ["conversations"]);
  if (!Array.isArray(rows)) yield rows;
  else
    for (const row of rows) {
      if (isClaudeMemory(row.value)) yield* readClaudeMemory(row, modified);
      else yield* readConversation(row);
    }
}

function* readConversation({ line, bytes, value }: Row): Generator<ImportItem> {
  const { data, error } = ConversationSchema.safeParse(value);
  if (data === undefined) {
    yield rejected(line, bytes, problemOf(error, "conversation"));
    return;
  }
  for (const message of data.chat_messages) yield* readMessage(line, data, message);
}

function* readMessage(line: number, conversation: Conversation, value: unknown): Generator<ImportItem> {
  const { data, error } = MessageSchema.safeParse(value);
  if (data === undefined) {
    yield rejected(line, 0, `chat_messages: ${problemOf(error, "row")}`);
    return;
  }
  const text = textOf(data);
  if (text === "") return;
  yield chatItem({
    line,
    source: "claude",
    conversation: conversation.uuid,
    title: textIn(conversation.name),
    id: data.uuid,
    role: data.sender === "human" ? "user" : "assistant",
    text,
    at: instantOf(data.created_at) ?? instantOf(conversation.created_at),
  });
}

/** Returns the words of a message, followed by the texts of its attachments. */
function textOf({ text, content, attachments }: Message): string {
  const blocks = (content ?? []).flatMap((block) =>
    block.type === "text" ? (textIn(block.text) ?? []) : [],
  );
  const files = (attachments ?? []).flatMap(({ file_name, extracted_content }) =>
    textIn(extracted_content) ? `${file_name ?? "attachment"}:\n${extracted_content}` : [],
  );
  return [textIn(text) ?? blocks.join("\n\n"), ...files].filter((part) => part !== "").join("\n\n");
}
