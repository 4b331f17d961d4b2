import { expect, it, vi } from "vitest";
import { matching } from "../src/palette/commands.js";

vi.stubGlobal("location", { hash: "" });

const NOTES = Array.from({ length: 12 }, (_, n) => ({ name: `note ${n}`, kind: "user", href: `#/${n}` }));

it("offers the search also if twelve names match", () => {
  const shown = matching([...NOTES, { name: "my note", kind: "agent", href: "#/my" }], " note ");
  expect(shown).toHaveLength(12);
  expect(shown[10]).toEqual({ name: "note 10", kind: "user", href: "#/10" });
  expect(shown[11]).toEqual({ name: "note", kind: "search memories", href: "#/memories?q=note" });
});

it("shows at most twelve commands without words, and no search", () => {
  const shown = matching([...NOTES, ...NOTES], " ");
  expect(shown.map(({ name }) => name)).toEqual(NOTES.map(({ name }) => name));
});
