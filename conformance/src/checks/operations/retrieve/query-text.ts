import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { inBatches } from "../../../fixtures/in-batches.js";
import type { RetrieveInput } from "../../../memory-agent.js";

/** Maximum length of a query in UTF-16 code units. */
const QUERY_MAX = 8_192;

/** Texts that match the word heron, the word train, or neither. */
const TEXTS = {
  heron: "one heron wades through reeds",
  train: "night train leaves soon",
  bread: "flour salt yeast",
} as const;

/** Queries with operators of common search engines. One word occurs in an entry, the others in none. */
const QUERIES: readonly string[] = [
  ...['"heron"', '"heron', 'heron"', '""heron""', '"heron violin"', "'heron'", "heron's", "`heron`"],
  ...["(heron", "heron)", "(heron)", "((heron", "[heron", "heron]", "{heron", "heron}", "[heron TO violin]"],
  ...["heron*", "heron?", "heron^2", "heron^", "heron~", "heron~2", "heron!", "!heron", "heron:", "heron&"],
  ...["+heron", "-heron", "~heron", "^heron", "$heron", "#heron", "@heron", "%heron%", "heron_", "heron\\"],
  ...[
    "\\heron",
    "heron/",
    "/heron/",
    "<heron>",
    "=heron",
    "heron;",
    "heron,",
    "heron|",
    "heron||",
    "heron&&",
  ],
  ...["violin:heron", "text:heron", "content:heron", "NOT heron", "heron NOT", "violin OR heron", "OR heron"],
  ...["heron OR", "AND heron", "heron AND", "heron AND violin", "heron AND NOT violin", "violin NOT heron"],
  ...["NEAR(heron violin)", "NEAR(heron violin, 2)", "heron NEAR violin", "heron -violin", "heron & violin"],
  ...["heron <-> violin", "^heron$", "(?i)heron", "(heron|violin)", "heron{2}", "[a-z]+ heron", ".* heron"],
  ...[
    "heron'; DROP TABLE entries; --",
    "heron' OR '1'='1",
    "{{heron}}",
    "$(heron)",
    '{"heron": 1}',
    "heron\u0000",
  ],
  ...[
    "heron\tviolin",
    "heron\nviolin",
    "\ufeffheron",
    "\u202eheron",
    "heron \u{1F98A}",
    "HERON",
    "heron heron",
  ],
  ...["the heron", "is it that the heron and the other", "??? heron !!!", "* heron *", "\u00bfheron\u203d"],
];

/** Queries that match no entry, even if they are treated as patterns. */
const FINDS_NOTHING: readonly string[] = [
  ...[
    "???",
    "*",
    "**",
    "%",
    "_",
    "!!!",
    '"',
    '""',
    '"""',
    "'",
    "`",
    "\\",
    "\\\\",
    "/",
    "//",
    "|",
    "||",
    "&",
    "&&",
  ],
  ...[
    "(",
    ")",
    "()",
    "((",
    "[",
    "]",
    "[]",
    "{",
    "}",
    "{}",
    "<",
    ">",
    "=",
    "+",
    "-",
    "--",
    "~",
    "^",
    "$",
    "#",
    "@",
  ],
  ...[
    ":",
    ";",
    ",",
    ".",
    "..",
    ".*",
    ".+",
    "[^ ]",
    "^.",
    ".$",
    " ",
    "   ",
    "\t",
    "\n",
    "\u0000",
    "\u200b",
    "\u2026",
  ],
  ...[
    "\u{1F98A}",
    "her*",
    "*eron",
    "h?ron",
    "h_ron",
    "her%",
    "h.r.n",
    "/her.*/",
    "[hx]ero",
    "her~9",
    "\\w+",
    "[a-z]+",
  ],
];

/** Queries of the maximum length: one word, many words, symbols, unclosed brackets. */
const LONGEST: readonly (readonly [what: string, query: string])[] = [
  ["the word again and again", "heron ".repeat(1_365)],
  ["the word before 1,000 others", `heron ${words(1_000)}`],
  ["the word after 30 others and before 1,000", `${words(30)} heron ${words(1_000)}`],
  ["the word before signs", `heron ${'(*"?'.repeat(2_046)}`],
  ["the word before brackets that open", `heron ${"(".repeat(8_000)}`],
  ["the word before one of 8,000 letters", `heron ${"v".repeat(8_000)}`],
  ["the word between operators", `heron${" OR violin NOT".repeat(500)}`],
];

function words(count: number): string {
  return Array.from({ length: count }, (_, at) => `violin${at}`)
    .join(" ")
    .slice(0, QUERY_MAX - 10);
}

/** 23 May 2024. Entries are also found by the words of their time. Today may be the 1st, 2nd or 9th, as in some queries. */
const OCCURRED_AT = 1_716_465_600;

async function storeTexts({ caller, entry }: MemoryContext): Promise<void> {
  const entries = Object.entries(TEXTS).map(([id, content]) =>
    entry({ key: { of: id }, content, occurred_at: OCCURRED_AT }),
  );
  await caller.store(entries);
}

/**
 * Expects any query text to be answered with the entries that contain one of its words, with valid scores.
 */
async function expectHeron(t: MemoryContext, query: string, mode: RetrieveInput["mode"], what: string) {
  const { entries, total } = await t.caller.retrieve({ query, mode, limit: 3 });
  const scores = entries.map(({ score }) => score);
  const areScores = scores.every((score) => score > 0 && score <= 1);
  t.expect.holds(areScores, `scores for ${what} in mode ${mode}`, scores, "above 0 and at most 1");
  t.expect.atLeast(total, entries.length, `total for ${what} in mode ${mode}`);
  return entries.map(({ key }) => key.of);
}

/** A query is plain text without operators. */
export const queryTextChecks: readonly Check[] = [
  memoryCheck({
    id: "full-text/operators-are-words",
    clauses: ["RET-42", "RET-3"],
    features: ["full_text"],
    async run(t) {
      await storeTexts(t);
      await inBatches(QUERIES, async (query) => {
        const what = `the query ${JSON.stringify(query)}, with a word of one of 3 entries`;
        const found = await expectHeron(t, query, "text", what);
        t.expect.equal(found, ["heron"], `entries found by ${what}, in mode text`);
      });
      const both = await expectHeron(t, "heron NOT train", "text", "the query `heron NOT train`");
      t.expect.sameMembers(both, ["heron", "train"], "entries found by the query `heron NOT train`");
      const apart = await expectHeron(t, '"train heron"', "text", 'the query `"train heron"`');
      t.expect.sameMembers(apart, ["heron", "train"], 'entries found by the query `"train heron"`');
    },
  }),
  memoryCheck({
    id: "full-text/signs-find-nothing",
    clauses: ["RET-42", "RET-3", "RET-17"],
    features: ["full_text"],
    async run(t) {
      await storeTexts(t);
      const there = await expectHeron(t, "heron", "text", "the query `heron`");
      t.expect.equal(there, ["heron"], "entries found by the query `heron`, a word of one of 3 entries");
      await inBatches(FINDS_NOTHING, async (query) => {
        const { entries, total } = await t.caller.retrieve({ query, mode: "text" });
        const found = entries.map(({ key }) => key.of);
        const what = `entries and total of the query ${JSON.stringify(query)}, without a word of any entry`;
        t.expect.equal([found, total], [[], 0], what);
      });
    },
  }),
  memoryCheck({
    id: "full-text/longest-queries-are-answered",
    clauses: ["RET-42", "RET-3"],
    features: ["full_text"],
    async run(t) {
      await storeTexts(t);
      for (const [what, text] of LONGEST) {
        const query = text.slice(0, QUERY_MAX);
        const found = await expectHeron(t, query, "text", `a query of ${query.length} units, ${what}`);
        t.expect.equal(found, ["heron"], `entries found by a query of ${query.length} units: ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "similarity/queries-of-any-text-are-answered",
    clauses: ["RET-42"],
    features: ["similarity"],
    async run(t) {
      await storeTexts(t);
      const modes = t.features.full_text ? (["vector", "hybrid"] as const) : (["vector"] as const);
      for (const mode of modes) {
        const longest = LONGEST.map(([, text]) => text.slice(0, QUERY_MAX));
        await inBatches(["heron", ...QUERIES, ...longest], async (query) => {
          const what = `the query ${JSON.stringify(query.slice(0, 80))}`;
          const found = await expectHeron(t, query, mode, what);
          if (mode === "hybrid")
            t.expect.equal(found.includes("heron"), true, `whether ${what} finds its word`);
        });
        await inBatches(FINDS_NOTHING, (query) =>
          expectHeron(t, query, mode, `the query ${JSON.stringify(query)}, which contains hardly any word`),
        );
      }
    },
  }),
];
