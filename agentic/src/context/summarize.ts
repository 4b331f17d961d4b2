import { z } from "zod";
import { type Summary, type SummaryImage, summaryText, textOf } from "../conversation/index.js";
import { askFor, type ChatMessage, type ChatModel, type CostMeter, loadPrompt } from "../model/index.js";
import { imagesOf } from "./images.js";
import { sumTokens, type ViewItem } from "./view.js";

const AnswerSchema = z.strictObject({
  user_requests: z.string(),
  summary: z.string().min(1),
  key_facts: z.array(z.string()),
  open_threads: z.array(z.string()),
  keep_images: z.array(z.int()),
});

const TEMPERATURE = 0.1;

export interface SummaryLimits {
  readonly summaryTokensMax: number;
  readonly inputTokensMax: number;
  readonly includeImages: boolean;
  /** How many images a summary keeps, and how many bytes they may have. */
  readonly imagesMax: number;
  readonly imageBytesMax: number;
}

export interface SummaryTask {
  /** Messages in order, at least one. */
  readonly items: readonly ViewItem[];
  /** Key hashes of these messages, and of those before them, as far as a summary names them. */
  readonly sources: readonly string[];
  /** What stands for the messages before them. */
  readonly previous: Summary | undefined;
  /** What the leading system message says; "" where that is not to be told. */
  readonly instruction: string;
  /** Messages whose images the earlier summary keeps. */
  readonly pictured: readonly ViewItem[];
}

/** What a summary of messages is to save, before there is one: it is taken to have half their tokens at most. */
export function summarySaving(items: readonly ViewItem[], summaryTokensMax: number): number {
  const tokens = sumTokens(items);
  return tokens - Math.min(summaryTokensMax, tokens / 2);
}

/**
 * A summary of messages and of the one before, by the model: of all messages, in parts where they are too many for one
 * question, each part with the summary of those before it.
 * @throws {ModelError} as `askFor` does: then there is no summary, also where only a later part has failed.
 */
export async function summarize(
  model: ChatModel,
  { items, sources, previous, instruction, pictured }: SummaryTask,
  limits: SummaryLimits,
  meter: CostMeter,
): Promise<Summary> {
  let summary = previous;
  for (const part of partsOf(items, limits.inputTokensMax)) {
    const images = numberedImages([...pictured.filter(({ id }) => keepsImageOf(summary, id)), ...part]);
    const content = loadPrompt("summarize-conversation", {
      instruction: escaped(instruction),
      previous: summary === undefined ? "" : escaped(summaryText(summary)),
      messages: part.map((item) => transcript(item, images)).join("\n"),
    });
    const shown = limits.includeImages ? images.map(({ data }) => data) : [];
    const question: ChatMessage = { role: "user", content, ...(shown.length > 0 && { images: shown }) };
    const answer = await askFor(
      model,
      {
        messages: [question],
        schema: AnswerSchema,
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

/** At least one message each. */
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

/** Those that the model wants, from the newest, as many as may be. Numbers that it made up name none. */
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

/** No text closes the tag that it stands in. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
