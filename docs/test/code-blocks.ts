const BLOCK = /((?:^<!--[\s\S]*?-->\n)*)^```(\w+)\n([\s\S]*?)^```$/gm;

/** A TypeScript program in a Markdown page. */
export interface DocumentedProgram {
  /** Line of the page on which its first block begins. */
  readonly line: number;
  readonly code: string;
}

/**
 * Returns the TypeScript programs of a Markdown page. A block is a program, unless `<!-- continues -->` stands above it:
 * then it is appended to the program before it. Declarations in a comment `<!-- given … -->` come first.
 */
export function programsIn(markdown: string): DocumentedProgram[] {
  const programs: DocumentedProgram[] = [];
  for (const { 0: whole, 1: comments = "", 2: language, 3: body = "", index } of markdown.matchAll(BLOCK)) {
    if (language !== "ts") continue;
    const line = markdown.slice(0, index + whole.indexOf("```")).split("\n").length;
    const given = /<!-- given\n([\s\S]*?)-->/.exec(comments)?.[1] ?? "";
    const code = `${given}${body}`;
    const before = programs.at(-1);
    if (comments.includes("<!-- continues -->") && before !== undefined) {
      programs[programs.length - 1] = { line: before.line, code: `${before.code}${code}` };
    } else programs.push({ line, code });
  }
  return programs;
}

/** Returns the code below `<!-- example: name -->`, and below further comments. */
export function exampleOf(markdown: string, name: string): string {
  for (const [, comments = "", , body = ""] of markdown.matchAll(BLOCK)) {
    if (comments.includes(`<!-- example: ${name} -->`)) return body.trimEnd();
  }
  throw new Error(`the page has no example ${name}`);
}
