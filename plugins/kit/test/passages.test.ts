import { describe, expect, it } from "vitest";
import { createEnglishAnalyzer, passageFinder } from "../src/search/index.js";
import { dividePassages } from "../src/search/passages/divide-text.js";

const WHOLE_MAX = 1_200;
const PASSAGE_MAX = 1_800;
const OVERLAP_MAX = 360;

/** Returns a paragraph of words in sentences, of exactly `length` units. */
function paragraph(word: string, length: number): string {
  return `${word} is one of many words here. `
    .repeat(length)
    .slice(0, length - 1)
    .trimEnd()
    .padEnd(length, "z");
}

function passageTexts(text: string): string[] {
  return dividePassages(text).map(({ start, end }) => text.slice(start, end));
}

describe("dividePassages", () => {
  it("returns a short text whole, without blank space around it", () => {
    expect(dividePassages("a heron\n\nin a lake")).toEqual([{ start: 0, end: 18 }]);
    expect(dividePassages("\n\n  a heron \n\n")).toEqual([{ start: 2, end: 11 }]);
    expect(dividePassages("")).toEqual([{ start: 0, end: 0 }]);
    expect(dividePassages(" \n\t\n ")).toEqual([{ start: 0, end: 0 }]);
  });

  it("keeps paragraphs of up to 200 words whole", () => {
    const paragraphs = ["heron", "lake", "storm", "night"].map((word) => paragraph(word, WHOLE_MAX));
    expect(passageTexts(paragraphs.join("\n\n"))).toEqual(paragraphs);
  });

  it("joins short paragraphs to passages that share the last one", () => {
    const paragraphs = Array.from({ length: 12 }, (_, n) => paragraph(`number${n}`, 300));
    const passages = passageTexts(paragraphs.join("\n\n"));
    expect(passages[0]).toBe(paragraphs.slice(0, 5).join("\n\n"));
    expect(passages[1]).toBe(paragraphs.slice(4, 9).join("\n\n"));
    expect(passages[2]).toBe(paragraphs.slice(7).join("\n\n"));
    expect(passages).toHaveLength(3);
  });

  it("keeps a code block whole, with its blank lines", () => {
    const code = `\`\`\`ts\n${"const heron = 1;\n\n".repeat(50)}\`\`\``;
    const text = [paragraph("before", 1_100), code, paragraph("after", 1_100)].join("\n\n");
    expect(code.length).toBeLessThanOrEqual(WHOLE_MAX);
    expect(passageTexts(text)).toContainEqual(expect.stringContaining(code));
  });

  it("reads the rest of a text as code if a code block is not closed, and ignores code within a line", () => {
    const lines = "let x = 1;\n\n".repeat(40).trimEnd();
    expect(passageTexts(`~~~\n${lines}`)).toEqual([`~~~\n${lines}`]);
    const [first] = passageTexts(
      `\`\`\`inline\`\`\`\n\n${paragraph("heron", 1_200)}\n\n${paragraph("b", 1_200)}`,
    );
    expect(first).toContain("heron");
  });

  it("divides a longer paragraph at lines, else sentences, else words", () => {
    for (const [text, end] of [
      ["a line of words without a stop\n".repeat(200), /stop$/],
      ["A sentence of words. ".repeat(300), /words\.$/],
      ["heron ".repeat(1_000), /heron$/],
    ] as const) {
      const passages = passageTexts(text);
      expect(passages.length).toBeGreaterThan(2);
      for (const passage of passages) expect(passage).toMatch(end);
    }
  });

  it("divides a text without spaces, and no character", () => {
    for (const text of ["鷺は湖に立っている".repeat(800), "🦢".repeat(3_000), "x".repeat(20_000)]) {
      const passages = dividePassages(text);
      for (const { start, end } of passages) expect(text.slice(start, end).isWellFormed()).toBe(true);
      expect(passages.length).toBeGreaterThan(2);
    }
  });

  const TEXTS: readonly [string, string][] = [
    ["paragraphs of 300", Array.from({ length: 218 }, () => paragraph("heron", 298)).join("\n\n")],
    ["paragraphs of 601", Array.from({ length: 108 }, () => paragraph("heron", 601)).join("\n\n")],
    ["paragraphs of 10 and 1,200", `${`short\n\n${paragraph("heron", 1_200)}\n\n`.repeat(54)}`],
    ["one letter each", "a\n\n".repeat(21_845)],
    ["wide gaps", `a${"\n".repeat(700)}`.repeat(93)],
    ["one word", "x".repeat(65_536)],
    ["lines", "a line\n".repeat(9_362)],
  ];

  it.each(TEXTS)("covers %s by bounded passages that overlap a little", (_, text) => {
    const passages = dividePassages(text);
    expect(passages.length).toBeLessThanOrEqual(93);
    for (const [index, { start, end }] of passages.entries()) {
      expect(end - start).toBeGreaterThan(0);
      expect(end - start).toBeLessThanOrEqual(PASSAGE_MAX);
      const before = passages[index - 1]?.end ?? 0;
      expect(text.slice(before, start).trim()).toBe("");
      if (index < passages.length - 1) expect(before - start).toBeLessThanOrEqual(OVERLAP_MAX);
    }
    expect(text.slice(passages.at(-1)!.end).trim()).toBe("");
  });
});

describe("passageFinder", () => {
  const filler = Array.from({ length: 8 }, (_, n) => paragraph(`filler${n}`, 900));
  const analyzer = createEnglishAnalyzer();
  const found = (query: string, text: string) => {
    const { start, end } = passageFinder(analyzer, query)(text);
    return text.slice(start, end);
  };

  it("finds the passage with the words of the query, in other forms too", () => {
    const text = filler.with(5, `${filler[5]} Two grey herons stood there.`).join("\n\n");
    expect(found("Where did the grey heron stand?", text)).toContain("Two grey herons stood");
  });

  it("prefers a rare word to a frequent one, and two words to one", () => {
    const text = filler
      .with(2, `${filler[2]} time time time`)
      .with(4, `${filler[4]} heron`)
      .with(6, `${filler[6]} heron time`)
      .join("\n\n");
    expect(found("time of the heron", text)).toContain("heron time");
    expect(found("heron", text)).toContain(`${filler[4]} heron`);
  });

  it("gives a word that most passages have little weight", () => {
    const text = filler
      .map((each) => `${each} turbine`)
      .with(3, `${filler[3]} turbine turbine turbine`)
      .with(6, `${filler[6]} turbine lake`)
      .join("\n\n");
    expect(found("turbine lake", text)).toContain("turbine lake");
  });

  it("finds names of code, and words of a script without spaces", () => {
    const code = filler.with(3, "```ts\nconst name = getUserName(id);\n\nthrow new Error('E1234');\n```");
    expect(found("user name", code.join("\n\n"))).toContain("getUserName(id)");
    expect(found("error 1234", code.join("\n\n"))).toContain("E1234");
    const unspaced = `${"今日は何もない日だった。".repeat(300)}湖に白鷺が立っていた。${"また何もない日だった。".repeat(300)}`;
    expect(found("白鷺", unspaced)).toContain("白鷺が立っていた");
  });

  it("returns the first passage without a word of the query", () => {
    const text = filler.join("\n\n");
    for (const query of ["", "heron", "the of"]) expect(found(query, text)).toBe(filler[0]);
  });

  it("searches the first 65,536 units, and never returns half a character", () => {
    const start = "x ".repeat(32_767);
    expect(found("heron", `${start} heron`)).not.toContain("heron");
    const text = `${"y".repeat(65_000)} heron ${"🦢".repeat(600)}`;
    expect(found("heron", text)).toContain("heron");
    expect(found("heron", text).isWellFormed()).toBe(true);
  });
});
