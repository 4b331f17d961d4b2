import {
  type ReceivedChat,
  requestOf,
  type ScriptedAnswer,
} from "../../agentic/test/scripted-openai/index.js";
import { lastOf, wordsOf } from "./request.js";

/** Numbers of the chapters, in reading order. */
const HEADINGS = [1, 2, 4, 5, 6, 7];
const QUESTION = "How many bytes may one message have at most (messageBytes)?";

/** Answers a summary request with the user's requests from its prompt. */
export function longTaskScript(request: ReceivedChat): ScriptedAnswer {
  const { name, prompt } = requestOf(request);
  if (name === "") return wordsOf(request).includes(QUESTION) ? lookUp(request) : read(request);
  const user_requests = prompt.includes(QUESTION) ? `Read all chapters. ${QUESTION}` : "Read all chapters.";
  const summary = "Chapters of the protocol were read.";
  return { json: { user_requests, summary, key_facts: [], open_threads: [], keep_images: [] } };
}

/** Reads the chapter after the last one. */
function read(request: ReceivedChat): ScriptedAnswer {
  const { role, text } = lastOf(request);
  const done = role === "user" ? 0 : HEADINGS.indexOf(Number(/^# (\d)/.exec(text)![1])) + 1;
  if (done === HEADINGS.length) return { text: "The protocol between agents and a memory host." };
  return { calls: [{ name: "read_chapter", arguments: { chapter: done + 1 } }] };
}

/** Knows the number only from the reloaded text. */
function lookUp(request: ReceivedChat): ScriptedAnswer {
  const { role, text } = lastOf(request);
  if (role === "user") {
    return { calls: [{ name: "look_up", arguments: { query: "messageBytes: bytes of one message" } }] };
  }
  return { text: /`messageBytes` \| ([\d,]+)/.exec(text)?.[1] ?? "I cannot find it." };
}
