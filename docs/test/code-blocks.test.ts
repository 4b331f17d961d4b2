import { expect, it } from "vitest";
import { exampleOf, programsIn } from "./code-blocks.js";

it("joins continued blocks and puts given declarations first", () => {
  const page = [
    "<!-- given\ndeclare const a: number;\n-->\n```ts\na;\n```",
    "<!-- example: second -->\n<!-- continues -->\n```ts\nb;\n```",
    "```sh\nls\n```",
    "```ts\nc;\n```",
  ].join("\n\n");
  expect(programsIn(page)).toEqual([
    { line: 4, code: "declare const a: number;\na;\nb;\n" },
    { line: 18, code: "c;\n" },
  ]);
  expect(exampleOf(page, "second")).toBe("b;");
});
