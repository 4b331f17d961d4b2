import {
  type Analyzer,
  createAnalyzer,
  englishLanguage,
  fold,
  type Language,
  type OtherLanguages,
} from "@membus/plugin-kit";
import { createRecognizer } from "./recognize.js";
import { loadTongues, SCRIPTS, type Script, scriptOf, type Tongue } from "./tongue.js";

/** All languages but English. */
interface Languages extends OtherLanguages {
  readonly firstOf: ReadonlyMap<Script, Tongue>;
  /** Of the first languages, English included, without accents. */
  readonly stopWords: ReadonlySet<string>;
}

/**
 * For texts in any of many languages, and in several. A word is stemmed as in the first language of its script: English for Latin letters, Russian
 * for Cyrillic ones. A text that is recognised as another language has that one's stems besides, and a word of a
 * query stands for its stems in all of them.
 */
export function createMultilingualAnalyzer(): Analyzer {
  return createAnalyzer(multilingual());
}

function multilingual(): Language {
  const english = englishLanguage();
  return {
    ...english,
    id: "multilingual-6",
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
      recognize: (marks, what) => languages().recognize(marks, what),
      of: (word) => languages().of(word),
    },
  };
}

let loaded: Languages | undefined;

/** Of all analyzers, loaded when the first one is used. */
function languages(): Languages {
  loaded ??= loadLanguages();
  return loaded;
}

function loadLanguages(): Languages {
  const tongues = loadTongues();
  const firsts = tongues.filter(({ isFirst }) => isFirst);
  const others = tongues.filter(({ isFirst }) => !isFirst);
  const firstOf = new Map(firsts.map((tongue) => [tongue.script, tongue]));
  const stopWordsOf = (script: Script) => firstOf.get(script)?.stopWords ?? englishLanguage().stopWords;
  const firstStopWords = Object.fromEntries(SCRIPTS.map((script) => [script, stopWordsOf(script)]));
  return {
    firstOf,
    stopWords: new Set(SCRIPTS.flatMap((script) => [...stopWordsOf(script)].map(fold))),
    ...createRecognizer(firstStopWords as Record<Script, ReadonlySet<string>>, others),
    of(word) {
      const script = scriptOf(word);
      return others.filter((tongue) => tongue.script === script);
    },
  };
}
