import { isJsonObject } from "@membus/protocol";
import { childrenOf, type JsonSpan, memberOf, rootOf } from "./json-spans.js";

/** What memory has to know of a request; the rest is the model server's. */
export interface ChatRequest {
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly user: string | undefined;
  /** Names of the application's own tools. */
  readonly toolNames: ReadonlySet<string>;
  /** Whether one answer is asked for, and no choice of several. */
  readonly isSingle: boolean;
}

/** Undefined for what asks for no completion: the model server says what is wrong with it. */
export function readChatRequest(bytes: Buffer): ChatRequest | undefined {
  const body = parse(bytes);
  if (!isJsonObject(body) || !Array.isArray(body.messages)) return undefined;
  const { messages, metadata, user, tools, n = 1 } = body as Readonly<Record<string, unknown>>;
  if (!(messages as unknown[]).every((message) => isJsonObject(message))) return undefined;
  return {
    messages: messages as ChatRequest["messages"],
    metadata: isJsonObject(metadata) ? metadata : {},
    user: typeof user === "string" && user !== "" ? user : undefined,
    toolNames: toolNamesOf(tools),
    isSingle: n === 1 || n === null,
  };
}

/** Every other byte stays. The text ends the system message that leads, or leads in one of its own. */
export function withSystemText(bytes: Buffer, text: string): Buffer {
  const messages = memberOf(bytes, rootOf(bytes), "messages")!;
  const first = childrenOf(bytes, messages)[0];
  const content = first && isSystem(bytes, first) ? memberOf(bytes, first, "content") : undefined;
  const kind = content && String.fromCharCode(bytes[content.start]!);
  if (kind === '"') return insertJson(bytes, content!.end - 1, JSON.stringify(`\n${text}`).slice(1, -1));
  if (kind === "[") {
    const comma = childrenOf(bytes, content!).length > 0 ? "," : "";
    return insertJson(bytes, content!.end - 1, comma + JSON.stringify({ type: "text", text }));
  }
  const message = JSON.stringify({ role: "system", content: text });
  return insertJson(bytes, messages.start + 1, first === undefined ? message : `${message},`);
}

/** The text of a message's content: of parts, those that are text. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.map((part) => (isJsonObject(part) && typeof part.text === "string" ? part.text : ""));
  return texts.filter((text) => text !== "").join("\n");
}

function toolNamesOf(tools: unknown): ReadonlySet<string> {
  const list = Array.isArray(tools) ? tools : [];
  const names = list.map((tool) =>
    isJsonObject(tool) && isJsonObject(tool.function) ? tool.function.name : undefined,
  );
  return new Set(names.filter((name) => typeof name === "string"));
}

function isSystem(bytes: Buffer, message: JsonSpan): boolean {
  const role = memberOf(bytes, message, "role");
  const named = role && bytes.toString("utf8", role.start, role.end);
  return named === '"system"' || named === '"developer"';
}

export function insertJson(bytes: Buffer, at: number, text: string): Buffer {
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(text, "utf8"), bytes.subarray(at)]);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
