import { expect, it } from "vitest";
import { matching } from "../src/palette/matching.js";

const NOTES = Array.from({ length: 12 }, (_, n) => ({ name: `note ${n}`, kind: "user", href: `#/${n}` }));
const searchFor = (words: string) => ({ name: words, kind: "search", href: `#/?q=${words}` });

it("offers the search also if more than twelve names match", () => {
  const shown = matching(
    [{ name: "my note", kind: "agent", href: "#/my" }, ...NOTES, { name: "other", kind: "view", href: "#/" }],
    " Note ",
    searchFor,
  );
  expect(shown).toHaveLength(12);
  expect(shown[10]).toEqual({ name: "note 10", kind: "user", href: "#/10" });
  expect(shown[11]).toEqual({ name: "Note", kind: "search", href: "#/?q=Note" });
});

it("shows at most twelve commands without words, and no search", () => {
  const shown = matching([...NOTES, ...NOTES], " ", searchFor);
  expect(shown.map(({ name }) => name)).toEqual(NOTES.map(({ name }) => name));
});
