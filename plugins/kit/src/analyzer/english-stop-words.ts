const PRONOUNS =
  "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers " +
  "herself it its itself they them their theirs themselves this that these those ones";
const QUESTIONS = "what which who whom when where why how";
const AUXILIARIES =
  "am is are was were be been being have has had having do does did doing would should could ought must might " +
  "shall can will";
const LINKS =
  "a an the and but if or because as until while of at by for with about against between into through during " +
  "before after above below to from up down in out on off over under again further then once here there";
const QUANTIFIERS =
  "all any both each few more most other some such no nor not only own same so than too very just now";
/** What an apostrophe leaves of I'd, I'll, I'm, you're, I've, it's and the words with n't. */
const CONTRACTIONS =
  "s t d m ll re ve don didn doesn isn aren wasn weren hasn haven hadn wouldn shouldn couldn";

/** English words that tell no entry apart, lower-case. */
export const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(
  [PRONOUNS, QUESTIONS, AUXILIARIES, LINKS, QUANTIFIERS, CONTRACTIONS].join(" ").split(" "),
);
