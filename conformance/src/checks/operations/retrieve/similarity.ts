import { type Check, hostTierCheck, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { vectorAt } from "../../../fixtures/vector-at.js";

export const similarityChecks: readonly Check[] = [
  memoryCheck({
    id: "similarity/nearest-vector-first",
    clauses: ["PLUG-3", "RET-5"],
    features: ["similarity"],
    async run({ caller, entry, expect, embedder }) {
      const degrees = [40, 0, 60, 20];
      await caller.store(
        degrees.map((id) => entry({ key: { id }, content: "same", ...vectorAt(embedder, id) })),
      );
      const nearest = async (asked: number, limit: number) =>
        foundIds(await caller.retrieve({ ...vectorAt(embedder, asked), mode: "vector", limit }));
      const what = "of entries with vectors at 0, 20, 40 and 60 degrees, for an embedding at";
      expect.equal(await nearest(0, 10), [0, 20, 40, 60], `degrees, in order, ${what} 0`);
      expect.equal(await nearest(70, 10), [60, 40, 20, 0], `degrees, in order, ${what} 70`);
      expect.equal(await nearest(35, 2), [40, 20], `degrees of the first two ${what} 35`);
    },
  }),
  memoryCheck({
    id: "similarity/only-the-direction-counts",
    clauses: ["ENTRY-20"],
    features: ["similarity"],
    async run({ caller, entry, expect, embedder }) {
      const scaled = (degrees: number, length: number) => {
        const given = vectorAt(embedder, degrees);
        return { ...given, embedding: given.embedding.map((component) => component * length) };
      };
      const stored: [degrees: number, length: number][] = [
        ...([
          [60, 100],
          [40, 1],
          [20, 5],
          [0, 0.01],
        ] as [number, number][]),
        [90, 0],
      ];
      await caller.store(
        stored.map(([id, length]) => entry({ key: { id }, content: "same", ...scaled(id, length) })),
      );
      const ask = async (length: number) =>
        (await caller.retrieve({ ...scaled(0, length), mode: "vector" })).entries;
      const [unit, long] = [await ask(1), await ask(7)];
      const what =
        "for an embedding at 0: vectors at 0, 20, 40 and 60 have the lengths 0.01, 5, 1 and 100, another is zero";
      expect.equal(foundIds({ entries: unit }), [0, 20, 40, 60], `degrees, in order, ${what}`);
      const scores = (entries: typeof unit) =>
        entries.map(({ score }) => Math.round((score ?? 0) * 1e4) / 1e4);
      expect.equal(scores(long), scores(unit), "scores for an embedding of length 7, compared with length 1");
    },
  }),
  memoryCheck({
    id: "similarity/same-text-first",
    clauses: ["PLUG-3", "RET-5"],
    features: ["similarity"],
    async run({ caller, entry, expect }) {
      const texts = [
        "The heron stands in the reeds",
        "Invoices are paid in March",
        "A violin needs new strings",
      ];
      await caller.store(texts.map((content, id) => entry({ key: { id }, content, occurred_at: 1_000 })));
      for (const [id, query] of texts.entries()) {
        const [first] = foundIds(await caller.retrieve({ query, mode: "vector" }));
        expect.equal(
          first,
          id,
          `first id of a query in mode vector, with the texts ${JSON.stringify(texts)} and the text of id ${id} as query`,
        );
      }
    },
  }),
  memoryCheck({
    id: "similarity/criteria-apply-before-limit",
    clauses: ["RET-1", "RET-3"],
    features: ["similarity"],
    async run({ caller, entry, expect, embedder }) {
      const wanted = [30, 35, 40].map((id) =>
        entry({ key: { id }, tags: ["wanted"], ...vectorAt(embedder, id) }),
      );
      const nearer = Array.from({ length: 60 }, (_, at) =>
        entry({ tags: ["other"], ...vectorAt(embedder, at / 6) }),
      );
      await caller.store([...wanted, ...nearer]);
      const found = await caller.retrieve({
        ...vectorAt(embedder, 0),
        mode: "vector",
        tags: ["wanted"],
        limit: 2,
      });
      const what = "of an embedding with a tag and limit 2: 60 nearer entries lack the tag and 3 have it";
      expect.equal(foundIds(found), [30, 35], `degrees ${what}`);
      expect.equal(found.total, 3, `total ${what}`);
    },
  }),
  memoryCheck({
    id: "similarity/modes-use-what-they-say",
    clauses: ["RET-12", "PLUG-3"],
    features: ["similarity", "full_text"],
    async run({ caller, entry, expect, embedder }) {
      await caller.store([
        entry({ key: { id: 1 }, content: "the heron stands in the reeds", ...vectorAt(embedder, 180) }),
        entry({ key: { id: 2 }, content: "a train leaves", importance: 0.9, ...vectorAt(embedder, 0) }),
      ]);
      const request = { query: "heron", ...vectorAt(embedder, 0) };
      const found = async (mode: "text" | "vector" | "hybrid") =>
        foundIds(await caller.retrieve({ ...request, mode }));
      const what =
        "with the word and a distant vector in entry 1, and the vector without the word in entry 2";
      expect.equal(await found("text"), [1], `ids for a query and an embedding in mode text, ${what}`);
      expect.equal(
        (await found("vector"))[0],
        2,
        `first id for a query and an embedding in mode vector, ${what}`,
      );
      expect.sameMembers(
        await found("hybrid"),
        [1, 2],
        `ids for a query and an embedding in mode hybrid, ${what}`,
      );
    },
  }),
  memoryCheck({
    id: "similarity/embedding-only-on-demand",
    clauses: ["RET-14"],
    features: ["similarity"],
    async run({ caller, entry, expect, embedder }) {
      const vector = vectorAt(embedder, 30);
      await caller.store(entry({ key: { id: "it" }, context: "said before", ...vector }));
      const [plain] = (await caller.retrieve()).entries;
      expect.equal(
        plain && "embedding" in plain,
        false,
        "whether `embedding` is returned in a listing without `include`",
      );
      const [ranked] = (await caller.retrieve(vector)).entries;
      expect.equal(
        ranked && "embedding" in ranked,
        false,
        "whether `embedding` is returned in the results of an embedding, without `include`",
      );
      const [full] = (await caller.retrieve({ include: ["embedding"] })).entries;
      const components = Array.from(full?.embedding ?? [], (component) => Math.round(component * 1e4) / 1e4);
      const expected = Array.from(vector.embedding, (component) => Math.round(component * 1e4) / 1e4);
      expect.equal(
        components,
        expected,
        "`embedding` of an entry that was stored with one, with include [embedding], to 4 places",
      );
      expect.equal(full?.embedding_model, embedder?.id, "`embedding_model` of the same");
      expect.equal(
        full && "context" in full,
        false,
        "whether `context` is returned with include [embedding]",
      );
    },
  }),
  memoryCheck({
    id: "similarity/hybrid-without-full-text-uses-vectors",
    clauses: ["RET-12"],
    features: ["similarity"],
    withoutFeature: "full_text",
    async run({ caller, entry, expect }) {
      const texts = ["The heron stands in the reeds", "Invoices are paid in March"];
      await caller.store(texts.map((content, id) => entry({ key: { id }, content })));
      for (const mode of [undefined, "hybrid"] as const) {
        const [first] = foundIds(await caller.retrieve({ query: texts[1]!, mode }));
        const what = `first id of a query with the text of id 1, with mode ${mode ?? "absent"}, on a tier that declares only similarity`;
        expect.equal(first, 1, what);
      }
    },
  }),
  hostTierCheck({
    id: "similarity/mode-vector-refused-where-undeclared",
    clauses: ["RET-12", "PLUG-4"],
    withoutFeature: "similarity",
    async run({ caller, entry, expect }) {
      await caller.store(entry({ key: { id: "there" }, content: "the heron stands in the reeds" }));
      const request = caller.retrieve({ query: "heron", mode: "vector" });
      await expect.refused(
        request,
        "unsupported",
        "a query in mode vector, on a tier that does not declare similarity",
      );
      expect.equal(foundIds(await caller.retrieve()), ["there"], "entries of a listing afterwards");
    },
  }),
  hostTierCheck({
    id: "similarity/other-vectors-are-refused",
    clauses: ["ENTRY-11", "ENTRY-12"],
    features: ["similarity"],
    async run({ caller, entry, expect, embedder }) {
      const sound = vectorAt(embedder, 0);
      await caller.store(entry({ key: { id: "there" }, ...sound }));
      const { embedding, embedding_model } = sound;
      const refused: [string, object][] = [
        ["one component too few", { ...sound, embedding: embedding.slice(0, -1) }],
        ["one component too many", { ...sound, embedding: Float32Array.of(...embedding, 0) }],
        ["a single component", { ...sound, embedding: Float32Array.of(1) }],
        ["the name of another model", { ...sound, embedding_model: `${embedding_model}-other` }],
        ["no model name", { embedding }],
      ];
      for (const [which, request] of refused) {
        const what = `a retrieve with an embedding with ${which}, where vectors have ${embedding.length} components`;
        await expect.refused(caller.retrieve(request), "schema_violation", what);
      }
      expect.equal(
        foundIds(await caller.retrieve(sound)),
        ["there"],
        "entries for an embedding of the host's own model",
      );
    },
  }),
];
