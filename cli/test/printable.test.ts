import { expect, it, vi } from "vitest";
import { createOutput } from "../src/terminal/output.js";
import { reportFailure } from "../src/terminal/report-failure.js";

/** Sets the title and the clipboard, clears the screen, links, overwrites, and reverses text. */
const HOSTILE =
  "\u001b]0;title\u0007\u001b]52;c;YQ==\u0007\u001b[2J\u001b]8;;http://x\u001b\\link \u009b31m\u007f\rover\b\u202eliave";

/** Returns everything that `print` writes. */
function printed(print: () => void): string {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const note = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  print();
  const texts = [...write.mock.calls, ...note.mock.calls].map(([text]) => String(text));
  write.mockRestore();
  note.mockRestore();
  return texts.join("");
}

const CONTROLS = /(?!\n)\p{Cc}|[\u202a-\u202e]/u;

it.each([
  ["results", () => createOutput(false).result(0, () => HOSTILE)],
  ["answers that arrive in pieces", () => void [...HOSTILE].map((piece) => createOutput(false).piece(piece))],
  ["notes", () => createOutput(false).note(HOSTILE)],
  ["failures", () => void reportFailure(new Error(HOSTILE), false)],
  ["results as JSON", () => createOutput(true).result(HOSTILE, () => "")],
  ["failures as JSON", () => void reportFailure(new Error(HOSTILE), true)],
])("does not let %s control the terminal", (_, print) => {
  const text = printed(print);
  expect(text).not.toMatch(CONTROLS);
  expect(text).toContain("\\u001b]0;title\\u0007");
});

it("keeps every value of JSON, and the lines and tabs of a text", () => {
  expect(JSON.parse(printed(() => createOutput(true).result(HOSTILE, () => "")))).toBe(HOSTILE);
  expect(printed(() => createOutput(false).result(0, () => "a\tb\r\nc 日本語 👩‍💻"))).toBe(
    "a\tb\nc 日本語 👩‍💻\n",
  );
});
