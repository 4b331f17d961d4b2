import type { ChatMessage } from "../model/index.js";

const IMAGE_NOTE = "[image left out]";

function isImagePart(part: { readonly type: string }): boolean {
  return part.type.includes("image");
}

/**
 * Returns the images of a message in order, first from its parts, then from its list: URLs, data URLs, or
 * other image parts as JSON.
 */
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

/** Replaces each image by a note if `keeps` is false for its number (from 0). */
export function filterImages(message: ChatMessage, keeps: (index: number) => boolean): ChatMessage {
  const { content, images = [] } = message;
  let index = 0;
  const parts = Array.isArray(content)
    ? content.map((part) =>
        !isImagePart(part) || keeps(index++) ? part : { type: "text", text: IMAGE_NOTE },
      )
    : content;
  const kept = images.filter(() => keeps(index++));
  if (index === 0) return message;
  const { images: _, ...rest } = message;
  return { ...rest, content: parts, ...(kept.length > 0 && { images: kept }) };
}
