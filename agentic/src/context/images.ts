import type { ChatMessage } from "../model/index.js";

const LEFT_OUT = "[image left out]";

function isImagePart(part: { readonly type: string }): boolean {
  return part.type.includes("image");
}

/** The images of a message in order: those of its parts, then its list. A URL, a data URL, or what a part holds, as JSON. */
export function imagesOf({ content, images = [] }: ChatMessage): string[] {
  const parts = Array.isArray(content) ? content.filter(isImagePart) : [];
  return [...parts.map(imageOfPart), ...images];
}

function imageOfPart(part: Readonly<Record<string, unknown>>): string {
  const image = part.image_url;
  if (typeof image === "string") return image;
  const url = (image as { readonly url?: unknown } | undefined)?.url;
  return typeof url === "string" ? url : JSON.stringify(part);
}

/** The message with a note in the place of each image but those that `keeps` (by number, from 0) holds for. */
export function leavingOutImages(message: ChatMessage, keeps: (index: number) => boolean): ChatMessage {
  const { content, images = [] } = message;
  let index = 0;
  const parts = Array.isArray(content)
    ? content.map((part) => (!isImagePart(part) || keeps(index++) ? part : { type: "text", text: LEFT_OUT }))
    : content;
  const kept = images.filter(() => keeps(index++));
  if (index === 0) return message;
  const { images: _, ...rest } = message;
  return { ...rest, content: parts, ...(kept.length > 0 && { images: kept }) };
}
