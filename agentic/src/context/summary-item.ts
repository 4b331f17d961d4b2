import { type Summary, summaryText } from "../conversation/index.js";
import type { ChatMessage } from "../model/index.js";
import { imagesOf } from "./images.js";
import { escaped } from "./summarize.js";
import type { Measure, ViewItem } from "./view.js";

/**
 * Returns a summary as a user message, with the images that it keeps. A model wrote it from untrusted text,
 * so its content is escaped and cannot close its frame.
 */
export function summaryItem(
  summary: Summary,
  imageMessages: readonly ViewItem[],
  measure: Measure,
): ViewItem {
  const images = summary.images.flatMap(({ message, index }) => {
    const item = imageMessages.find(({ id }) => id === message);
    const image = item && imagesOf(item.raw)[index];
    return image === undefined ? [] : [image];
  });
  const note = "The messages before this point are replaced by this summary of them.";
  const content = `<conversation_summary>\n${note}\n\n${escaped(summaryText(summary))}\n</conversation_summary>`;
  const message: ChatMessage = { role: "user", content, ...(images.length > 0 && { images }) };
  const { to: seq } = summary.covers;
  return { id: "", seq, revision: 0, updated: 0, raw: message, view: message, tokens: measure(message) };
}
