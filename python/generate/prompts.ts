/** Prompts that Python shares with `@membus/agentic`, by constant. */
export const PROMPTS = {
  ANSWER_IN_JSON: "answer-in-json",
  DECIDE_FACTS: "decide-facts",
  DECIDE_FACTS_ANSWER: "decide-facts-answer",
  DECIDE_FACTS_EXAMPLE: "decide-facts-example",
  EXTRACT_EXPERIENCES: "extract-experiences",
  EXTRACT_FACTS: "extract-facts",
  EXTRACT_FACTS_ANSWER: "extract-facts-answer",
  EXTRACT_FACTS_EXAMPLE: "extract-facts-example",
  EXTRACT_FACTS_MESSAGES: "extract-facts-messages",
} as const;

/** Returns the source of the module with the prompts. The line with the version of a prompt is left out. */
export function promptSource(read: (name: string) => string): string {
  const constants = Object.entries(PROMPTS).map(([constant, name]) => {
    const text = read(name)
      .replace(/^version \d+\n\n/, "")
      .trim();
    if (/"""|\\/.test(text)) throw new Error(`the prompt ${name} cannot be a Python text`);
    return `${constant} = """\\\n${text}"""`;
  });
  return `"""Prompts with fields such as \`{{about}}\`.\n\nGenerated from agentic/prompts by \`npm run generate\`. Do not edit.\n"""\n\n${constants.join("\n\n")}\n`;
}
