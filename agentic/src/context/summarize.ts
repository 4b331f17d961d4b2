import { z } from "zod";
import { type Summary, type SummaryImage, summaryText, textOf } from "../conversation/index.js";
import {
  type ChatMessage,
  type ChatModel,
  type CostMeter,
  generateObject,
  loadPrompt,
} from "../model/index.js";
import { imagesOf } from "./images.js";
import { sumTokens, type ViewItem } from "./view.js";

const TEXT_LENGTH_MAX = 6_000;
const ITEM_LENGTH_MAX = 500;

/** Schema of a summary that a model writes. */
export const ConversationSummarySchema = z.strictObject({
  user_requests: z.string().max(TEXT_LENGTH_MAX),
  summary: z.string().min(1).max(TEXT_LENGTH_MAX),
  key_facts: z.array(z.string().max(ITEM_LENGTH_MAX)).max(30),
  open_threads: z.array(z.string().max(ITEM_LENGTH_MAX)).max(15),
  keep_images: z.array(z.int().min(0).max(9_999)).max(30),
});

const TEMPERATURE = 0.1;

export interface SummaryLimits {
  readonly summaryTokensMax: number;
  readonly inputTokensMax: number;
  readonly includeImages: boolean;
  /** Maximum number of images that a summary keeps, and their maximum size in bytes. */
  readonly imagesMax: number;
  readonly imageBytesMax: number;
}

export interface SummaryTask {
  /** Messages in order, at least one. */
  readonly items: readonly ViewItem[];
  /** Key hashes of these messages and of the earlier ones, as far as the previous summary lists them. */
  readonly sources: readonly string[];
  /** Summary of the earlier messages. */
  readonly previous: Summary | undefined;
  /** Text of the leading system message. "" to omit it. */
  readonly instruction: string;
  /** Messages with images that the previous summary keeps. */
  readonly imageMessages: readonly ViewItem[];
}

/**
 * Estimates how many tokens a summary saves: it is assumed to have at most half the tokens of the messages.
 */
export function summarySaving(items: readonly ViewItem[], summaryTokensMax: number): number {
  const tokens = sumTokens(items);
  return tokens - Math.min(summaryTokensMax, tokens / 2);
}

/**
 * Returns a summary, by the model, of messages and of the previous summary. Too many messages for one request
 * are summarized in parts, each with the summary of the parts before it.
 * @throws {ModelError} as `generateObject` does. If a later part fails, there is no summary at all.
 */
export async function summarize(
  model: ChatModel,
  { items, sources, previous, instruction, imageMessages }: SummaryTask,
  limits: SummaryLimits,
  meter: CostMeter,
): Promise<Summary> {
  let summary = previous;
  for (const part of partsOf(items, limits.inputTokensMax)) {
    const images = numberedImages([...imageMessages.filter(({ id }) => keepsImageOf(summary, id)), ...part]);
    const content = loadPrompt("summarize-conversation", {
      instruction: escaped(instruction),
      previous: summary === undefined ? "" : escaped(summaryText(summary)),
      messages: part.map((item) => transcript(item, images)).join("\n"),
    });
    const shown = limits.includeImages ? images.map(({ data }) => data) : [];
    const question: ChatMessage = { role: "user", content, ...(shown.length > 0 && { images: shown }) };
    const answer = await generateObject(
      model,
      {
        messages: [question],
        schema: ConversationSummarySchema,
        name: "conversation_summary",
        maxOutputTokens: limits.summaryTokensMax,
        temperature: TEMPERATURE,
      },
      meter,
    );
    const earlier = (summary?.images ?? []).filter(
      ({ message }) => !images.some((image) => image.message === message),
    );
    summary = {
      text: answer.summary,
      keyFacts: answer.key_facts,
      openThreads: answer.open_threads,
      userRequests: answer.user_requests,
      covers: { from: summary?.covers.from || part[0]!.seq, to: part.at(-1)!.seq },
      level: (previous?.level ?? 0) + 1,
      sources,
      images: newest([...earlier, ...keptImages(images, answer.keep_images, limits)], limits.imagesMax),
    };
  }
  return summary!;
}

function keepsImageOf(summary: Summary | undefined, id: string): boolean {
  return summary?.images.some(({ message }) => message === id) ?? false;
}

/** Splits messages into parts of at least one message each. */
function partsOf(items: readonly ViewItem[], tokensMax: number): ViewItem[][] {
  const parts: ViewItem[][] = [];
  let tokens = Number.POSITIVE_INFINITY;
  for (const item of items) {
    tokens += item.tokens;
    if (tokens <= tokensMax) parts.at(-1)!.push(item);
    else {
      parts.push([item]);
      tokens = item.tokens;
    }
  }
  return parts;
}

interface NumberedImage extends SummaryImage {
  readonly data: string;
}

function numberedImages(items: readonly ViewItem[]): NumberedImage[] {
  return items.flatMap(({ id, raw }) => imagesOf(raw).map((data, index) => ({ message: id, index, data })));
}

/**
 * Returns the images that the model requests, from the newest, up to the limits. Unknown numbers are ignored.
 */
function keptImages(
  images: readonly NumberedImage[],
  wanted: readonly number[],
  { imagesMax, imageBytesMax }: SummaryLimits,
): SummaryImage[] {
  const kept: SummaryImage[] = [];
  let bytes = 0;
  for (const { message, index, data } of images.filter((_, n) => wanted.includes(n + 1)).reverse()) {
    bytes += data.length;
    if (kept.length === imagesMax || bytes > imageBytesMax) break;
    kept.unshift({ message, index });
  }
  return kept;
}

function newest<T>(items: readonly T[], max: number): T[] {
  return items.slice(Math.max(0, items.length - max));
}

function transcript({ id, view }: ViewItem, images: readonly NumberedImage[]): string {
  const lines = [escaped(textOf(view))];
  for (const { name, arguments: args } of view.tool_calls ?? [])
    lines.push(escaped(`calls ${name}(${args})`));
  for (const [n, image] of images.entries()) if (image.message === id) lines.push(`[image ${n + 1}]`);
  const name = view.name === undefined ? "" : ` name="${escaped(view.name)}"`;
  return `<message role="${view.role}"${name}>\n${lines.filter((line) => line !== "").join("\n")}\n</message>`;
}

/** Escapes a text so that it cannot close the tag around it. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
