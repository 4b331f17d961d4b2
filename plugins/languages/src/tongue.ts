import type { OtherLanguage } from "@membus/plugin-kit";
import { type LanguageName, STEMMERS, STOP_WORDS } from "./libraries.js";

/** One of the languages that the libraries cover: how its words are stemmed and which of them say nothing. */
export interface Tongue extends OtherLanguage {
  /** As the libraries call it. */
  readonly name: LanguageName;
  readonly script: Script;
  /** Whether the script's words are taken to be in this one where no other is recognised. */
  readonly isFirst: boolean;
  /** Letters that tell it from the script's first language. */
  readonly letters: string;
}

/**
 * Languages by script, each with letters beyond ASCII, or those by which it differs from the script's first. Bulgarian is
 * not among them: its stemmer throws on ordinary words.
 */
const TONGUES = {
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

export type Script = keyof typeof TONGUES;

/** The language that a script's words are taken to be in where no other is recognised. */
const FIRST = new Set(Object.values(TONGUES).map((names) => Object.keys(names)[0]!));

/** Longer lists hold content words, too; of those only words up to a length are taken. */
const FUNCTION_WORD_LIST_MAX = 300;
const FUNCTION_WORD_LENGTH_MAX = 5;

export const SCRIPTS = Object.keys(TONGUES) as Script[];

const ASCII_LETTER = /[a-z]/;
const LETTER_OF = SCRIPTS.map((script) => [script, new RegExp(`\\p{Script=${script}}`, "u")] as const);

/** The script of a lower-case word's letters; undefined for a number and where no library knows the script. */
export function scriptOf(word: string): Script | undefined {
  if (ASCII_LETTER.test(word)) return "Latin";
  return LETTER_OF.find(([, letter]) => letter.test(word))?.[0];
}

/** Loads the stop words of every language but English; a stemmer follows when it is first needed. */
export function loadTongues(): Tongue[] {
  return LETTER_OF.flatMap(([script, letter]) =>
    (Object.entries(TONGUES[script]) as [LanguageName | "english", string][])
      .filter((entry): entry is [LanguageName, string] => entry[0] !== "english")
      .map(([name, letters]) => loadTongue({ name, script, letters }, letter)),
  );
}

function loadTongue(tongue: Pick<Tongue, "name" | "script" | "letters">, letter: RegExp): Tongue {
  const { name } = tongue;
  let stem: Tongue["stem"] | undefined;
  return {
    ...tongue,
    isFirst: FIRST.has(name),
    stopWords: new Set(
      functionWords(name)
        .filter((word) => letter.test(word))
        .flatMap(spellings),
    ),
    stem(word) {
      stem ??= STEMMERS[name]().stemmer;
      return stem(asLibrariesSpell(word));
    },
  };
}

/** The libraries write the Romanian letters with a cedilla, as old character sets did; people use a comma. */
function asLibrariesSpell(word: string): string {
  return word.replaceAll("ș", "ş").replaceAll("ț", "ţ");
}

/** Of a library's word, its own and that with commas. */
function spellings(word: string): string[] {
  return [word, word.replaceAll("ş", "ș").replaceAll("ţ", "ț")];
}

function functionWords(name: LanguageName): readonly string[] {
  const words = STOP_WORDS[name]().stopwords;
  if (words.length <= FUNCTION_WORD_LIST_MAX) return words;
  return words.filter((word) => word.length <= FUNCTION_WORD_LENGTH_MAX);
}
