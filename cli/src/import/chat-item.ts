import { CONVERSATIONS_NAMESPACE, messageFields } from "@membus/agentic/conversation";
import { LIMITS } from "@membus/protocol";
import type { Role } from "@membus/protocol/records";
import { type ImportItem, rejected } from "./import-item.js";

/** A message of a data export. */
export interface ExportedMessage {
  readonly line: number;
  /** Where the conversation comes from, such as "chatgpt". Begins the id of the conversation. */
  readonly source: string;
  readonly conversation: string;
  readonly title: string | undefined;
  readonly id: string;
  readonly role: Role;
  readonly name?: string | undefined;
  readonly text: string;
  /** Unix seconds. */
  readonly at: number | undefined;
}

/** Returns the record of a message of the conversation `<source>:<id>`. */
export function chatItem(message: ExportedMessage): ImportItem {
  const { line, source, title, id, role, name, text, at } = message;
  const conversation = `${source}:${message.conversation}`;
  const bytes = Buffer.byteLength(text);
  if (Math.max(conversation.length, id.length) > LIMITS.idLength) {
    return rejected(line, bytes, `id longer than ${LIMITS.idLength} characters: ${id.slice(0, 80)}`);
  }
  const chat = { role, content: text, ...(name !== undefined && { name }) };
  const fields = messageFields(conversation, { id, marks: [], message: chat });
  const entry = {
    ...fields,
    metadata: { ...fields.metadata, source, ...(title !== undefined && { title }) },
    group: conversation,
    ...(at !== undefined && { occurred_at: at }),
    if_revision: 0,
  };
  return { line, bytes, entry, namespace: CONVERSATIONS_NAMESPACE };
}
