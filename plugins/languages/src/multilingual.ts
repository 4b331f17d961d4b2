import {
  type Analyzer,
  createAnalyzer,
  englishLanguage,
  fold,
  type Language,
  type OtherLanguages,
} from "@membus/plugin-kit";
import { type LanguageProfile, loadProfiles, SCRIPTS, type Script, scriptOf } from "./language-profile.js";
import { createRecognizer } from "./recognize.js";

/** All languages except English. */
interface Languages extends OtherLanguages {
  readonly firstOf: ReadonlyMap<Script, LanguageProfile>;
  /** Stop words of the first languages, including English, without accents. */
  readonly stopWords: ReadonlySet<string>;
}

/**
 * Creates an analyzer for texts in any of many languages, including mixed texts. Every word is stemmed in the
 * first language of its script: English for Latin letters, Russian for Cyrillic ones. A text recognised as
 * another language also gets the stems of that language. A word of a query matches its stems in all
 * languages.
 */
export function createMultilingualAnalyzer(): Analyzer {
  return createAnalyzer(multilingual());
}

const WORD = /[\p{L}\p{M}]+/gu;
/** UTF-16 units of a text by which its language is recognised. */
const RECOGNIZED_LENGTH = 2_048;

/**
 * Returns whether a text is certainly in another language than English, by its stop words and letters. Its first
 * 2,048 UTF-16 units are enough.
 */
export function isOtherLanguage(text: string): boolean {
  const words = text.slice(0, RECOGNIZED_LENGTH).match(WORD) ?? [];
  const { markOf, recognize } = languages();
  return recognize(words.map(markOf), "query").length > 0;
}

function multilingual(): Language {
  const english = englishLanguage();
  return {
    ...english,
    id: "multilingual-7",
    get stopWords() {
      return languages().stopWords;
    },
    stem(word) {
      const script = scriptOf(word);
      const first = script && languages().firstOf.get(script);
      return first === undefined ? english.stem(word) : fold(first.stem(word));
    },
    others: {
      markOf: (word) => languages().markOf(word),
      recognize: (marks, kind) => languages().recognize(marks, kind),
      of: (word) => languages().of(word),
    },
  };
}

let loaded: Languages | undefined;

/** Returns the languages shared by all analyzers, loaded on first use. */
function languages(): Languages {
  loaded ??= loadLanguages();
  return loaded;
}

function loadLanguages(): Languages {
  const profiles = loadProfiles();
  const firsts = profiles.filter(({ isFirst }) => isFirst);
  const others = profiles.filter(({ isFirst }) => !isFirst);
  const firstOf = new Map(firsts.map((profile) => [profile.script, profile]));
  const stopWordsOf = (script: Script) => firstOf.get(script)?.stopWords ?? englishLanguage().stopWords;
  const firstStopWords = Object.fromEntries(SCRIPTS.map((script) => [script, stopWordsOf(script)]));
  return {
    firstOf,
    stopWords: new Set(SCRIPTS.flatMap((script) => [...stopWordsOf(script)].map(fold))),
    ...createRecognizer(firstStopWords as Record<Script, ReadonlySet<string>>, others),
    of(word) {
      const script = scriptOf(word);
      return others.filter((profile) => profile.script === script);
    },
  };
}
