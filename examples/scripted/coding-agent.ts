import {
  type ReceivedChat,
  requestOf,
  type ScriptedAnswer,
} from "../../agentic/test/scripted-openai/index.js";
import { lastOf, wordsOf } from "./request.js";

const LICENCE = "// SPDX-License-Identifier: Apache-2.0";
const EXPERIENCE = {
  text: "Begin every module with the licence line that write_file requires.",
  when_to_use: "Writing a JavaScript module so that a test passes",
};
const MODULES: Readonly<Record<string, string>> = {
  slug: 'export const slug = (text) => text.toLowerCase().split(" ").join("-");',
  initials:
    'export const initials = (text) => text.split(" ").map((word) => word[0].toUpperCase()).join("");',
};
const usage = { inputTokens: 90, outputTokens: 10 };

/** Returns an experience if the licence was required, and no advice about tools. */
export function codingAgentScript(request: ReceivedChat): ScriptedAnswer {
  const { name, prompt } = requestOf(request);
  if (name === "") return program(request);
  if (name === "guideline") return { status: 400, message: "no advice" };
  const isNews = prompt.includes("the first line of a module must be");
  return { json: { experiences: isNews ? [EXPERIENCE] : [] } };
}

/** Uses the licence line only if the request contains it. */
function program(request: ReceivedChat): ScriptedAnswer {
  const words = wordsOf(request);
  const [, name = ""] = /Write (\w+)\.js so that/.exec(words)!;
  const { role, text } = lastOf(request);
  if (role === "tool" && text.startsWith("written")) {
    return { calls: [{ name: "run_test", arguments: { file: `${name}.test.js` } }], usage };
  }
  if (role === "tool" && text.startsWith("the test"))
    return { text: `${name}.js is written: ${text}.`, usage };
  const lines = words.includes(LICENCE) ? [LICENCE, MODULES[name]] : [MODULES[name]];
  return {
    calls: [{ name: "write_file", arguments: { file: `${name}.js`, text: lines.join("\n") } }],
    usage,
  };
}
