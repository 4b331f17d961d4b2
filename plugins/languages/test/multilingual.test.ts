import { createEnglishAnalyzer } from "@membus/plugin-kit";
import { describe, expect, it } from "vitest";
import { hashesOf } from "../../kit/src/search/analyzer/index.js";
import { termHash } from "../../kit/src/search/analyzer/packed-terms.js";
import { createMultilingualAnalyzer } from "../src/index.js";

const analyzer = createMultilingualAnalyzer();

const hashesIn = (text: string, context = "") =>
  [...analyzer.analyze({ text, context, occurredAt: undefined })].filter((_, index) => index % 2 === 0);
const has = (text: string, term: string) => hashesIn(text).includes(termHash(term));
const finds = (query: string, text: string) => {
  const stored = new Set(hashesIn(text));
  return analyzer.analyzeQuery(query).every((term) => hashesOf([term]).some((hash) => stored.has(hash)));
};
const wordsOf = (query: string) => analyzer.analyzeQuery(query).map(({ word }) => word);

describe("the multilingual analyzer", () => {
  it("has its own id", () => {
    expect([analyzer.id, createEnglishAnalyzer().id]).toEqual(["multilingual-7", "english-8"]);
  });

  it.each([
    ["How did so many die in the war, and was the man with the hat among them?"],
    ["Deploy server via docker compose"],
    ["I met the son of Van Gogh's doctor in Den Haag"],
    ["getUserName fails with E1234 in 2.15.2"],
  ])("returns only English terms for %j", (text) => {
    const input = { text, context: "", occurredAt: 1_683_554_160 };
    expect(analyzer.analyze(input)).toEqual(createEnglishAnalyzer().analyze(input));
  });

  it("adds the stems of the recognised language", () => {
    expect(has("Die Katzen schlafen auf der Fensterbank.", "german:katz")).toBe(true);
    expect(has("Die Katzen schlafen auf der Fensterbank.", "katzen")).toBe(true);
    expect(has("Los gatos duermen en la ventana.", "spanish:gat")).toBe(true);
    expect(has("Kardeşim keman çalmayı öğreniyor.", "turkish:keman")).toBe(false);
    expect(has("Зустрічі з клієнтами перенесли, тому що це важливо", "ukrainian:зустріч")).toBe(true);
    expect(has("The cats sleep", "german:cat")).toBe(false);
  });

  it("drops Ukrainian and Lithuanian stop words", () => {
    expect(wordsOf("Де наш кіт, і де його немає?")).toEqual(["кіт", "немає"]);
    expect(wordsOf("Kur yra šis raktas nuo mūsų durų?")).toEqual(["yra", "raktas", "duru"]);
  });

  it("treats Romanian letters with a comma and with a cedilla as equal", () => {
    for (const text of [
      "Toate informațiile și pisicile sunt aici",
      "Toate informaţiile şi pisicile sunt aici",
    ]) {
      expect(has(text, "romanian:inform")).toBe(true);
      expect(has(text, "romanian:si")).toBe(false);
    }
  });

  it("recognises text and context separately", () => {
    const hashes = hashesIn("The cats sleep.", "Die Katzen der Nachbarn");
    expect(hashes).toContain(termHash("german:katz"));
    expect(hashes).not.toContain(termHash("german:cat"));
    expect(hashes).toContain(termHash("cat"));
  });

  it("assumes the first language for the words of another script", () => {
    expect(has("Кошки спят", "кошк")).toBe(true);
    expect(wordsOf("и не кошки")).toEqual(["кошки"]);
  });

  it("searches for the stems of a word in all languages of its script, as one term", () => {
    const terms = analyzer.analyzeQuery("Katze");
    expect(terms).toHaveLength(1);
    expect(terms[0]!.hash).toBe(termHash("katz"));
    expect(terms[0]!.alternatives).toContain(termHash("german:katz"));
    expect(terms[0]!.alternatives).toHaveLength(16);
    expect(analyzer.analyzeQuery("2023")[0]!.alternatives).toBeUndefined();
    expect(analyzer.analyzeQuery("猫")[0]!.alternatives).toBeUndefined();
  });

  it("drops stop words of another language only if the query is clearly in it", () => {
    expect(wordsOf("Wo ist die Hochzeit mit der Kutsche")).toEqual(["hochzeit", "kutsche"]);
    expect(wordsOf("war history")).toEqual(["war", "history"]);
    expect(wordsOf("how many did die in the war")).toEqual(["many", "die", "war"]);
    expect(wordsOf("der die das")).toEqual(["der", "die", "das"]);
  });

  it.each([
    ["Katze", "Die Katzen schlafen."],
    ["KATZEN", "Die Katzen schlafen."],
    ["reunión", "Las reuniones se aplazaron."],
    ["creme brulee", "Es gibt Crème brûlée."],
    ["STRASSE", "Die Straße ist gesperrt."],
    ["full width", "ＦＵＬＬ　ＷＩＤＴＨ"],
    ["🎉", "It went well 🎉🎉"],
    ["コーヒー", "ｺｰﾋｰを飲む"],
    ["getusername", "get_user_name"],
    ["GET-USER-NAME", "call getUserName() first"],
    ["2345", "error TS2345"],
    ["2.15.2", "release v2.15.2"],
    ["host/router", "src/host/router.ts"],
    ["err module not found", "ERR_MODULE_NOT_FOUND"],
  ])("finds %j in %j", (query, text) => {
    expect(finds(query, text)).toBe(true);
  });

  it("accepts any text", () => {
    for (const text of [
      "constructor __proto__ toString",
      "ß",
      "\ud800",
      "ا",
      "ы".repeat(1000),
      "1.".repeat(99),
    ]) {
      expect(() => [hashesIn(text), analyzer.analyzeQuery(text)]).not.toThrow();
    }
  });
});
