import { expect, it } from "vitest";
import { readQueryText } from "../src/views/memories/query-text.js";

const ALL = { namespace: "**" };
const NOW = 1_000_000;

it.each([
  ["late trains", { q: "late trains" }],
  ["late tier:episodic trains", { q: "late trains", tier: "episodic" }],
  ["tag:rail tag:rail tag:late", { q: "", tags: '["rail","late"]' }],
  ['tag:"on time" "exact words"', { q: '"exact words"', tags: '["on time"]' }],
  ["kind:fact session:s1 namespace:notes/**", { q: "", kind: "fact", session: "s1", namespace: "notes/**" }],
  ["since:2h", { q: "", since: "992800" }],
  ["since:7d until:30m", { q: "", since: "395200", until: "998200" }],
  ["since:2026-01-31T10:00:00Z", { q: "", since: "1769853600" }],
  ["since:soon", { q: "since:soon" }],
  ["12:30 http://example.org tier:", { q: "12:30 http://example.org tier:" }],
  ["", { q: "" }],
])("the text %j is a query with filters", (text, expected) => {
  expect(readQueryText(text, ALL, NOW)).toEqual({ ...ALL, ...expected });
});

it("filters of a text are added to the filters of the address", () => {
  const before = { namespace: "notes/**", tier: "working", tags: '["a"]', q: "old" };
  expect(readQueryText("new tag:b", before, NOW)).toEqual({
    namespace: "notes/**",
    tier: "working",
    tags: '["a","b"]',
    q: "new",
  });
});

it("tags of an address that are no list are ignored", () => {
  expect(readQueryText("tag:b", { namespace: "**", tags: "{" }, NOW).tags).toBe('["b"]');
});
