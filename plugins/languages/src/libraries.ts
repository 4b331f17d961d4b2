import { createRequire } from "node:module";
import type { stemmer } from "@orama/stemmers/german";
import type { stopwords } from "@orama/stopwords/german";

interface StemmerModule {
  readonly stemmer: typeof stemmer;
}

interface StopWordModule {
  readonly stopwords: typeof stopwords;
}

/**
 * Loads modules synchronously on demand. A static import would load all, a dynamic import is asynchronous.
 */
const require = createRequire(import.meta.url);

export const STEMMERS = {
  german: (): StemmerModule => require("@orama/stemmers/german"),
  french: (): StemmerModule => require("@orama/stemmers/french"),
  spanish: (): StemmerModule => require("@orama/stemmers/spanish"),
  portuguese: (): StemmerModule => require("@orama/stemmers/portuguese"),
  italian: (): StemmerModule => require("@orama/stemmers/italian"),
  dutch: (): StemmerModule => require("@orama/stemmers/dutch"),
  swedish: (): StemmerModule => require("@orama/stemmers/swedish"),
  danish: (): StemmerModule => require("@orama/stemmers/danish"),
  norwegian: (): StemmerModule => require("@orama/stemmers/norwegian"),
  finnish: (): StemmerModule => require("@orama/stemmers/finnish"),
  hungarian: (): StemmerModule => require("@orama/stemmers/hungarian"),
  romanian: (): StemmerModule => require("@orama/stemmers/romanian"),
  turkish: (): StemmerModule => require("@orama/stemmers/turkish"),
  indonesian: (): StemmerModule => require("@orama/stemmers/indonesian"),
  irish: (): StemmerModule => require("@orama/stemmers/irish"),
  lithuanian: (): StemmerModule => require("@orama/stemmers/lithuanian"),
  russian: (): StemmerModule => require("@orama/stemmers/russian"),
  ukrainian: (): StemmerModule => require("@orama/stemmers/ukrainian"),
  serbian: (): StemmerModule => require("@orama/stemmers/serbian"),
  arabic: (): StemmerModule => require("@orama/stemmers/arabic"),
  greek: (): StemmerModule => require("@orama/stemmers/greek"),
  indian: (): StemmerModule => require("@orama/stemmers/indian"),
  tamil: (): StemmerModule => require("@orama/stemmers/tamil"),
  armenian: (): StemmerModule => require("@orama/stemmers/armenian"),
};

/** Language names of the libraries. */
export type LanguageName = keyof typeof STEMMERS;

export const STOP_WORDS: Readonly<Record<LanguageName, () => StopWordModule>> = {
  german: () => require("@orama/stopwords/german"),
  french: () => require("@orama/stopwords/french"),
  spanish: () => require("@orama/stopwords/spanish"),
  portuguese: () => require("@orama/stopwords/portuguese"),
  italian: () => require("@orama/stopwords/italian"),
  dutch: () => require("@orama/stopwords/dutch"),
  swedish: () => require("@orama/stopwords/swedish"),
  danish: () => require("@orama/stopwords/danish"),
  norwegian: () => require("@orama/stopwords/norwegian"),
  finnish: () => require("@orama/stopwords/finnish"),
  hungarian: () => require("@orama/stopwords/hungarian"),
  romanian: () => require("@orama/stopwords/romanian"),
  turkish: () => require("@orama/stopwords/turkish"),
  indonesian: () => require("@orama/stopwords/indonesian"),
  irish: () => require("@orama/stopwords/irish"),
  lithuanian: () => ({ stopwords: lithuanianStopWords() }),
  russian: () => require("@orama/stopwords/russian"),
  ukrainian: () => ({ stopwords: (require("stopword") as Record<"ukr", string[]>).ukr }),
  serbian: () => require("@orama/stopwords/serbian"),
  arabic: () => require("@orama/stopwords/arabic"),
  greek: () => require("@orama/stopwords/greek"),
  indian: () => require("@orama/stopwords/indian"),
  tamil: () => require("@orama/stopwords/tamil"),
  armenian: () => require("@orama/stopwords/armenian"),
};

const WINDOWS_1257 = new TextDecoder("windows-1257");

/**
 * Returns the Lithuanian stop words. The library decoded a Baltic character set as a western one. Its
 * Ukrainian list cannot be repaired.
 */
function lithuanianStopWords(): string[] {
  const { stopwords }: StopWordModule = require("@orama/stopwords/lithuanian");
  return stopwords.map((word) => WINDOWS_1257.decode(Buffer.from(word, "latin1")));
}
