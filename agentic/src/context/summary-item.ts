import { type Summary, summaryText } from "../conversation/index.js";
import type { ChatMessage } from "../model/index.js";
import { imagesOf } from "./images.js";
import { escaped } from "./summarize.js";
import type { Measure, ViewItem } from "./view.js";

/**
 * A summary as a message of the user, with the images that it keeps. What it says was written by a model that has read
 * anybody's words, so nothing in it can end its frame.
 */
export function summaryItem(summary: Summary, pictured: readonly ViewItem[], measure: Measure): ViewItem {
  const images = summary.images.flatMap(({ message, index }) => {
    const item = pictured.find(({ id }) => id === message);
    const image = item && imagesOf(item.raw)[index];
    return image === undefined ? [] : [image];
  });
  const note = "The messages before this point are replaced by this summary of them.";
  const content = `<conversation_summary>\n${note}\n\n${escaped(summaryText(summary))}\n</conversation_summary>`;
  const message: ChatMessage = { role: "user", content, ...(images.length > 0 && { images }) };
  const { to: seq } = summary.covers;
  return { id: "", seq, revision: 0, updated: 0, raw: message, view: message, tokens: measure(message) };
}
