import { expect, it } from "vitest";
import { terminalSvg } from "./recording/terminal-svg.js";

/** Returns the class and the text of each row. */
function rowsOf(svg: string): (readonly [string, string])[] {
  return [...svg.matchAll(/<text class="(\w+)"[^>]*>(.*)<\/text>/g)].map(([, kind, text]) => [kind!, text!]);
}

it("draws lines, breaks long ones and escapes markup", () => {
  const long = `${"a".repeat(60)} ${"b".repeat(40)}`;
  const svg = terminalSvg('A "title"', [
    { kind: "comment", text: "# how" },
    { kind: "command", text: "$ cat < a.json" },
    { kind: "output", text: `${long}\n{"a":"<b> & c"}` },
    { kind: "output", text: "c".repeat(100) },
  ]);
  expect(rowsOf(svg)).toEqual([
    ["comment", "# how"],
    ["command", "$ cat &lt; a.json"],
    ["output", "a".repeat(60)],
    ["output", "b".repeat(40)],
    ["output", "{&quot;a&quot;:&quot;&lt;b&gt; &amp; c&quot;}"],
    ["output", "c".repeat(92)],
    ["output", "c".repeat(8)],
  ]);
  expect(svg).toContain('viewBox="0 0 808 172" role="img" aria-label="A &quot;title&quot;"');
});
