import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadProfiles, type Script } from "../src/language-profile.js";

const WORDS = 2_000;

const LETTERS: Readonly<Record<Script, string>> = {
  Latin: "abcdefghijklmnopqrstuvwxyzäöüßàâçéèêëîïôùûœáíñóúãõìòåøæőűăâîșțğışąčęėįšųūž",
  Cyrillic: "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґђјљњћџё",
  Arabic: "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئىة",
  Greek: "αβγδεζηθικλμνξοπρστυφχψωάέήίόύώς",
  Devanagari: "अआइईउऊएऐओऔकखगघचछजझटठडढणतथदधनपफबभमयरलवशषसहािीुूेैोौं",
  Tamil: "அஆஇஈஉஊஎஏஐஒஓஔகஙசஞடணதநபமயரலவழளறனாிீுூெேைொோௌ்",
  Armenian: "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև",
};

const LANGUAGES = loadProfiles().map((profile) => [profile.name, profile] as const);

describe.each(LANGUAGES)("the stemmer of %s", (_, { script, stopWords, stem }) => {
  const words = fc.array(fc.constantFrom(...LETTERS[script]), { minLength: 1, maxLength: 64 });

  it("stems any word consistently", () => {
    const random = fc.sample(words, { numRuns: WORDS, seed: 1 }).map((letters) => letters.join(""));
    const paired = [...stopWords].map((word, index, all) => word + all[all.length - 1 - index]!);
    for (const word of [...random, ...stopWords, ...paired]) {
      const stemmed = stem(word);
      expect(typeof stemmed, word).toBe("string");
      expect(stem(word), word).toBe(stemmed);
    }
  });
});
