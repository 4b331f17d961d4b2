/** One rule of the language of this project, with a text that breaks it. */
export interface ProseRule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly advice: string;
  readonly bad: string;
  /** True for a rule that applies to Markdown only. */
  readonly isMarkdownOnly?: boolean;
}

/** Words in a sentence, at most. Inline code counts as one word. */
export const SENTENCE_WORDS_MAX = 25;

const banned = (words: string, advice: string, bad: string): ProseRule => ({
  name: `word: ${words.split("|")[0]}`,
  pattern: new RegExp(`(?<![\\w-])(?:${words})(?![\\w-])`, "i"),
  advice,
  bad,
});

/** Patterns that are wrong in Markdown, comments, error messages, help texts and test names. */
export const PROSE_RULES: readonly ProseRule[] = [
  banned("anew|beforehand|thereby|hereby|whereof|thereof|therein", "use a current word", "It is built anew."),
  banned("whoever|whomever|whose|whom", "name the caller, client or agent", "Whoever asks gets it."),
  banned("nobody|somebody|everybody|anybody", "name who: no caller, another process", "Nobody reads it."),
  banned("besides", "write: in addition to, also", "It logs this besides."),
  banned("by itself|of its own|of their own", "write: automatically, separate", "It has a port of its own."),
  banned("so long|so many|that much|so much", "name the parameter", "It waits so long."),
  banned(
    "where there is none|what is none|that there is not",
    "write: if it is absent",
    "It adds one where there is none.",
  ),
  banned(
    "is told|are told|was told|tells|is heard|are heard",
    "write: returns, reports, logs",
    "It tells the caller.",
  ),
  banned("that of|those of|of which|in which case of", "repeat the noun", "The name is that of the agent."),
  banned("meanwhile", "write: concurrently, in the same time", "Meanwhile it runs."),
  {
    name: "what as a noun",
    pattern:
      /\bwhat (?:is|was|are|were|has|had|it|they|does|did|can|cannot|may|must|came|comes|stands|no)\b(?!.*\?)/i,
    advice: "use a noun: entries, requests, the host",
    bad: "It removes what is stored.",
  },
  {
    name: "who or what as a subject",
    pattern: /(?:^|[.;] )(?:Who|What) (?:[\w-]+ ){1,8}(?:is|are|has|goes|gets) [^?]*$/,
    advice: "start with a concrete subject",
    bad: "Who asks too often is refused.",
  },
  {
    name: "starts with a pronoun of no noun",
    pattern: /^(?:Of (?!course)|Those (?:of|that|who|which)|That of)/,
    advice: "start with a noun or a verb",
    bad: "Of the call itself, if any.",
  },
  {
    name: "semicolon",
    pattern: /;(?:\s|$)/,
    advice: "make two sentences",
    bad: "It is fast; it is safe.",
    isMarkdownOnly: true,
  },
];
