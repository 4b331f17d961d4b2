import { describe, expect, it } from "vitest";
import { isOtherLanguage } from "../src/index.js";

describe("isOtherLanguage", () => {
  it.each([
    "Die Benutzerin trinkt gern grünen Tee und wohnt in Hamburg",
    "A la usuaria le gusta el té verde",
    "L'utilisatrice aime le thé vert et habite à Lyon",
  ])("recognises %j", (text) => {
    expect(isOtherLanguage(text)).toBe(true);
  });

  it.each([
    "The user likes green tea",
    "Deploy with the blue-green script",
    "What is renormalization in quantum chromodynamics?",
    "die casting",
    "",
  ])("does not recognise %j", (text) => {
    expect(isOtherLanguage(text)).toBe(false);
  });
});
