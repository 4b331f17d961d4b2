import type { OtherLanguage } from "@membus/plugin-kit";
import { type LanguageName, STEMMERS, STOP_WORDS } from "./libraries.js";

/** Language that the libraries support, with its stemmer and stop words. */
export interface LanguageProfile extends OtherLanguage {
  /** Name in the libraries. */
  readonly name: LanguageName;
  readonly script: Script;
  /** Whether words of the script are in this language if no other is recognised. */
  readonly isFirst: boolean;
  /** Letters that distinguish the language from the script's first language. */
  readonly letters: string;
}

/**
 * Languages by script. Each has its letters beyond ASCII, or the letters that distinguish it from the
 * script's first language. Bulgarian is excluded, because its stemmer throws on ordinary words.
 */
const LANGUAGES = {
  Latin: {
    ...{ english: "", german: "äöüß", french: "àâçéèêëîïôùûœ", spanish: "áéíñóú", portuguese: "áâãçéêíóôõú" },
    ...{ italian: "àèéìòù", dutch: "ëï", swedish: "åäö", danish: "åæø", norwegian: "åæø", finnish: "äö" },
    ...{ hungarian: "áéíóöőúüű", romanian: "ăâîșțşţ", turkish: "çğıöşü", indonesian: "", irish: "áéíóú" },
    lithuanian: "ąčęėįšųūž",
  },
  Cyrillic: { russian: "", ukrainian: "іїєґ", serbian: "ђјљњћџ" },
  Arabic: { arabic: "" },
  Greek: { greek: "" },
  Devanagari: { indian: "" },
  Tamil: { tamil: "" },
  Armenian: { armenian: "" },
};

export type Script = keyof typeof LANGUAGES;

/** Languages that are assumed for a script if no other language is recognised. */
const FIRST = new Set(Object.values(LANGUAGES).map((names) => Object.keys(names)[0]!));

/** Longer lists also contain content words. Only their short words are used. */
const FUNCTION_WORD_LIST_MAX = 300;
const FUNCTION_WORD_LENGTH_MAX = 5;

export const SCRIPTS = Object.keys(LANGUAGES) as Script[];

const ASCII_LETTER = /[a-z]/;
const LETTER_OF = SCRIPTS.map((script) => [script, new RegExp(`\\p{Script=${script}}`, "u")] as const);

/** Returns the script of a lower-case word, or undefined for numbers and unsupported scripts. */
export function scriptOf(word: string): Script | undefined {
  if (ASCII_LETTER.test(word)) return "Latin";
  return LETTER_OF.find(([, letter]) => letter.test(word))?.[0];
}

/** Loads the stop words of every language except English. A stemmer is loaded on first use. */
export function loadProfiles(): LanguageProfile[] {
  return LETTER_OF.flatMap(([script, letter]) =>
    (Object.entries(LANGUAGES[script]) as [LanguageName | "english", string][])
      .filter((entry): entry is [LanguageName, string] => entry[0] !== "english")
      .map(([name, letters]) => loadProfile({ name, script, letters }, letter)),
  );
}

function loadProfile(
  profile: Pick<LanguageProfile, "name" | "script" | "letters">,
  letter: RegExp,
): LanguageProfile {
  const { name } = profile;
  let stem: LanguageProfile["stem"] | undefined;
  return {
    ...profile,
    isFirst: FIRST.has(name),
    stopWords: new Set(
      functionWords(name)
        .filter((word) => letter.test(word))
        .flatMap(spellings),
    ),
    stem(word) {
      stem ??= STEMMERS[name]().stemmer;
      return stem(toCedilla(word));
    },
  };
}

/**
 * Replaces comma letters by cedilla letters, because the libraries spell Romanian with a cedilla as in old
 * character sets, while people use a comma.
 */
function toCedilla(word: string): string {
  return word.replaceAll("ș", "ş").replaceAll("ț", "ţ");
}

/** Returns a library's word with cedilla letters and with comma letters. */
function spellings(word: string): string[] {
  return [word, word.replaceAll("ş", "ș").replaceAll("ţ", "ț")];
}

function functionWords(name: LanguageName): readonly string[] {
  const words = STOP_WORDS[name]().stopwords;
  if (words.length <= FUNCTION_WORD_LIST_MAX) return words;
  return words.filter((word) => word.length <= FUNCTION_WORD_LENGTH_MAX);
}
