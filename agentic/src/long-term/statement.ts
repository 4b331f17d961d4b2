import type { Utterance } from "./record-input.js";

/** A sentence with its end mark. A mark inside a word, as in "1.5" or a URL, does not end a sentence. */
const SENTENCE = /[^.!?。！？؟\n]+(?:[.!?。！？؟]+(?![\s"'”’)\]。！？؟]|$)[^.!?。！？؟\n]+)*[.!?。！？؟]*/g;

const ENDS_AS_QUESTION = /[?？؟]["'”’)\]]*$/;
/** English questions without a question mark. "When I was young, ..." and "What a day" are not questions. */
const STARTS_AS_QUESTION = new RegExp(
  "^(?:and |so |but )?(?:(?:what|who|where|which|why|when|how|whose)(?:'s|’s| is| are| was| were| do| does| did| can| could| should| would| will| many| much| old| long| often)\\b|" +
    "(?:do|does|did|can|could|would|will|is|are|was|were|have|has) (?:you|i|we|my|your|the|there|it|he|she|they)\\b)",
  "i",
);

/** A whole sentence without any information, in several languages. */
const IGNORANCE = new RegExp(
  "^(?:(?:sorry|well|hm+|oh|unfortunately)[,.]? )?(?:(?:i am|i'm|i’m) (?:sorry|afraid)[,.]? )?(?:but )?(?:" +
    [
      "(?:i )?(?:really )?(?:do not|don't|don’t) (?:really )?(?:know|remember|recall)(?: (?:it|that|this|yet))?",
      "(?:i have )?no idea",
      "(?:i am|i'm|i’m)? ?not (?:really )?sure(?: about (?:it|that|this))?",
      "ich wei(?:ß|ss) (?:es |das )?nicht",
      "keine ahnung",
      "je (?:ne )?sais pas",
      "no (?:lo )?sé",
      "non (?:lo )?so",
      "(?:eu )?não sei",
      "(?:我)?不知道",
      "(?:知りません|わかりません|分かりません)",
      "모르겠(?:어요|습니다)",
      "(?:я )?не знаю",
    ].join("|") +
    ")[.!。！…]*$",
  "iu",
);
/** The beginning of a sentence of an assistant that has no answer. A user who cannot swim states a fact. */
const ASSISTANT_IGNORANCE =
  /^(?:(?:sorry|unfortunately)[,.]? )?(?:(?:i am|i'm|i’m) (?:sorry|afraid)[,.]? )?(?:but )?i (?:(?:do not|don't|don’t) (?:know|remember|recall|have (?:any |that |enough |your )?(?:information|record|records|memory|memories|details|access))|(?:could not|couldn't|couldn’t|cannot|can't|can’t) (?:find|recall|remember))\b/i;

/** Returns whether a text contains something other than questions and "I don't know". */
export function isStatement({ text, role }: Pick<Utterance, "text" | "role">): boolean {
  return sentencesOf(text).some((sentence) => !isEmptyAnswer(sentence, role));
}

/** Returns the sentences of a text that contain letters or digits, in order. */
export function sentencesOf(text: string): string[] {
  const sentences = (text.match(SENTENCE) ?? []).map((sentence) => sentence.trim());
  return sentences.filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

function isEmptyAnswer(sentence: string, role: Utterance["role"]): boolean {
  if (ENDS_AS_QUESTION.test(sentence) || STARTS_AS_QUESTION.test(sentence)) return true;
  return IGNORANCE.test(sentence) || (role === "assistant" && ASSISTANT_IGNORANCE.test(sentence));
}
