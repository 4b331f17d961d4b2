import type { Category, Note } from "./note.js";
import { redact } from "./redact.js";

const LENGTH_MIN = 8;
const LENGTH_MAX = 300;
/** Statements of one prompt. */
const COUNT_MAX = 8;
/** Characters of a prompt that are read. */
const READ_MAX = 20_000;

/** Words that begin a lasting preference or a decision, in English, German, French and Spanish. */
const RULES: readonly (readonly [Category, RegExp])[] = [
  ["decision", /\b(?:we|i)(?:'ve| have)? (?:decided|agreed|settled|chosen|chose)\b/i],
  [
    "decision",
    /\bwe(?:'ll| will| are going to| are| should) (?:go with|going with|stick with|use|be using)\b/i,
  ],
  ["decision", /^(?:ok(?:ay)?,? )?let(?:'|’)?s (?:go with|stick with|use|standardi[sz]e on)\b/i],
  ["decision", /^(?:the )?(?:decision|entscheidung|décision|decisión)(?: is)?:? /i],
  [
    "decision",
    /\bwir haben (?:uns )?(?:entschieden|beschlossen|geeinigt)|\bwir (?:nehmen|verwenden|nutzen) ab\b/i,
  ],
  ["decision", /\b(?:nous avons|on a) (?:décidé|choisi)|\b(?:hemos decidido|decidimos)\b/i],
  ["preference", /^(?:please,? |bitte )?(?:always|never|immer|nie|niemals|toujours|siempre|nunca)\b/i],
  [
    "preference",
    /^(?:please,? )?(?:make sure (?:to|you) |you (?:should|must) |be sure to )?(?:always|never)\b/i,
  ],
  ["preference", /\b(?:i|we) (?:always|never|strongly|really|usually|generally)? ?prefer\b/i],
  ["preference", /\b(?:i|we) (?:always|never) \w/i],
  [
    "preference",
    /\b(?:from now on|going forward|in (?:the )?future|ab (?:jetzt|sofort)|künftig|désormais|a partir de ahora)\b/i,
  ],
  ["preference", /\b(?:ich bevorzuge|wir bevorzugen|je préfère|nous préférons|prefiero|preferimos)\b/i],
  [
    "preference",
    /^(?:please,? )?(?:remember|keep in mind|note|merk(?:e)? dir|denk daran|souviens-toi|recuerda)\b/i,
  ],
  ["preference", /^(?:please,? )?use \S{1,80} (?:instead of|rather than|not|over) /i],
  [
    "preference",
    /^(?:please,? )?(?:don(?:'|’)t|do not|avoid) (?:ever |use|using|add|write|commit|create|push|mock)/i,
  ],
];

/** Marks that a reply of an agent uses for conclusions. Other sentences of a reply are not kept. */
const CONCLUSION = /^(?:decision|root cause|lesson learned|convention): /i;

const EVERYWHERE =
  /\b(?:in (?:all|every|any)(?: of)?(?: my| our)? (?:projects?|repos?|repositories)|everywhere|globally|across (?:all )?projects|in allen projekten)\b/i;
const PERSONAL = /^i (?:always |never |strongly |really |usually |generally )?prefer\b/i;

/** Returns the lasting preferences and decisions in a prompt of the user. Tasks and questions are none. */
export function statementsOf(prompt: string): Note[] {
  const notes = sentencesOf(ownWords(prompt.slice(0, READ_MAX))).flatMap((text): Note[] => {
    const [category] = RULES.find(([, pattern]) => pattern.test(text)) ?? [];
    if (category === undefined) return [];
    return [{ text, category, trust: "user", isGlobal: EVERYWHERE.test(text) || PERSONAL.test(text) }];
  });
  return notes.slice(0, COUNT_MAX);
}

/** Returns the conclusions in a reply of the agent, such as "Root cause: ...". */
export function conclusionsOf(reply: string): Note[] {
  const sentences = sentencesOf(ownWords(reply.slice(-READ_MAX))).filter((text) => CONCLUSION.test(text));
  return sentences.slice(0, COUNT_MAX).map((text) => ({ text, category: "decision", trust: "agent" }));
}

/**
 * Removes text that the user did not write: code blocks, quotations, and blocks in tags. A web page that is
 * pasted without a mark cannot be recognized.
 */
function ownWords(prompt: string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  let tag: string | undefined;
  for (const line of prompt.split("\n")) {
    const trimmed = line.trim();
    const mark = /^(?:```|~~~)/.exec(trimmed)?.[0];
    const opened = /^<([A-Za-z][\w-]{0,60})\b/.exec(trimmed)?.[1];
    if (fence !== undefined) {
      if (mark === fence) fence = undefined;
    } else if (tag !== undefined) {
      if (trimmed.includes(`</${tag}>`)) tag = undefined;
    } else if (mark !== undefined) fence = mark;
    else if (opened !== undefined) {
      if (!trimmed.includes(`</${opened}>`)) tag = opened;
    } else if (!/^(?:>|\||\$ |at )/.test(trimmed)) lines.push(line);
  }
  return lines.join("\n");
}

/** Splits a text at line ends and after `.`, `!` and `?`. Leaves out questions, and very short or long parts. */
function sentencesOf(text: string): string[] {
  return redact(text)
    .replaceAll("**", "")
    .split(/\n|(?<=[.!?])\s/)
    .map((part) => part.replace(/^(?:[-*•#]|\d{1,3}[.)])\s/, "").trim())
    .filter((part) => part.length >= LENGTH_MIN && part.length <= LENGTH_MAX && !part.endsWith("?"));
}
