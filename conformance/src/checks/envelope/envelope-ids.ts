import { type Check, hostCheck, hostTierCheck } from "../../catalogue/check.js";
import { accepted, listOf, refused, request } from "../../fixtures/bare-messages.js";

/** One character of each Unicode category that ids must not contain, in JSON notation. */
const UNPRINTABLE: readonly (readonly [category: string, escaped: string])[] = [
  ["a control (Cc)", "\\u0007"],
  ["a line end (Cc)", "\\n"],
  ["a zero-width space (Cf)", "\\u200b"],
  ["an unpaired surrogate (Cs)", "\\ud800"],
  ["a private character (Co)", "\\ue000"],
  ["an unassigned character (Cn)", "\\u0378"],
];

const unchangedFor = (outcome: unknown) => (outcome === "updated" ? "unchanged" : outcome);

export const envelopeIdChecks: readonly Check[] = [
  hostCheck({
    id: "envelope/id-of-128-printable-characters",
    clauses: ["ENV-3", "LIMIT-5"],
    async run(t) {
      const mark = t.random.hex(8);
      const ids = [
        mark,
        mark.padEnd(128, "x"),
        `${mark} Grüße, 記憶/"\\ 🦊`,
        `${mark}${"🦊".repeat(60)}`,
        mark.padEnd(128, "é"),
      ];
      for (const id of ids) {
        const pong = await accepted(t, `a ping with the id ${id}`, "ping", { type: "ping", id });
        t.expect.equal(pong.req_id, id, "req_id of the pong to a ping with that id");
      }
    },
  }),
  hostCheck({
    id: "envelope/id-of-129-characters-refused",
    clauses: ["ENV-3", "LIMIT-2"],
    async run(t) {
      for (const length of [129, 1_000, 100_000]) {
        const id = "x".repeat(length);
        const what = `a ping with an id of ${length} characters`;
        const { req_id } = await refused(t, what, "ping", { type: "ping", id }, "too_large");
        t.expect.equal(req_id, null, `req_id of the error to ${what}`);
      }
      await accepted(t, "a ping with an ordinary id", "ping", request(t, "ping"));
    },
  }),
  hostCheck({
    id: "envelope/unprintable-id-refused",
    clauses: ["ENV-3", "ERR-5"],
    async run(t) {
      for (const [category, escaped] of UNPRINTABLE) {
        const text = `{"type":"ping","id":"before${escaped}after"}`;
        const what = `a ping with ${category} in its id: ${text}`;
        const { req_id } = await refused(t, what, "ping", text, ["schema_violation", "parse_error"]);
        t.expect.equal(req_id, null, `req_id of the error to ${what}`);
      }
      for (const text of [
        '{"type":"ping","id":7}',
        '{"type":"ping","id":["a"]}',
        '{"type":"ping","id":true}',
      ]) {
        const { req_id } = await refused(t, text, "ping", text, "schema_violation");
        t.expect.equal(req_id, null, `req_id of the error to ${text}`);
      }
      await accepted(t, "a ping with an ordinary id", "ping", request(t, "ping"));
    },
  }),
  hostTierCheck({
    id: "envelope/id-made-where-none-is-given",
    clauses: ["ENV-15"],
    async run(t) {
      const { id: _, ...sent } = request(t, "store", { entries: [t.entry()] });
      const replies = [];
      for (const given of [{}, { id: null }, { id: "" }]) {
        const what = `a store with ${"id" in given ? `the id ${JSON.stringify(given.id)}` : "no id"}`;
        replies.push(await accepted(t, what, "store", { ...sent, ...given }));
      }
      const made = replies.map(({ req_id }) => req_id);
      for (const id of made) {
        t.expect.holds(
          typeof id === "string" && id.length > 0 && id.length <= 128,
          "req_id of the reply to a store without an id",
          id,
          "the id that the host made, of 1..128 characters",
        );
      }
      t.expect.equal(new Set(made).size, 3, "different ids made for three stores without an id");
      // The profile basic does not test whether a store changes anything.
      const outcomes = replies.map(({ receipts }) => listOf(receipts)[0]?.outcome);
      const shown = t.profile === undefined ? outcomes : outcomes.map(unchangedFor);
      t.expect.equal(
        shown,
        ["created", "unchanged", "unchanged"],
        "outcomes of the same store sent three times without an id, and so no retry of the first",
      );
    },
  }),
  hostTierCheck({
    id: "envelope/absent-session-is-the-empty-one",
    clauses: ["ENV-10"],
    tiers: ["working"],
    async run(t) {
      const [plain, other] = [t.entry(), t.entry()];
      const entriesOf = async (session: object) => {
        const what = `a retrieve with ${JSON.stringify(session)}`;
        const asked = request(t, "retrieve", { tier: "working", ...session });
        const { entries } = await accepted(t, what, "retrieve", asked);
        return listOf(entries).map(({ key }) => key);
      };
      await accepted(t, "a store without session_id", "store", request(t, "store", { entries: [plain] }));
      const inSession = request(t, "store", { entries: [other], session_id: "conformance" });
      await accepted(t, "a store with a session_id", "store", inSession);
      for (const session of [{}, { session_id: "" }, { session_id: null }]) {
        const what = `keys found with ${JSON.stringify(session)}, after a store without session_id and one with`;
        t.expect.equal(await entriesOf(session), [plain.key], what);
      }
      t.expect.equal(
        await entriesOf({ session_id: "conformance" }),
        [other.key],
        "keys found in the session",
      );
      await t.agent({ session: "conformance" }).forget({ all: true });
    },
  }),
  hostCheck({
    id: "envelope/versions-1-x-accepted",
    clauses: ["ENV-8"],
    async run(t) {
      for (const version of ["1.0", "1.1", "1.7", "1.10", "1.999", null]) {
        const what = `a ping of version ${version}`;
        const pong = await accepted(t, what, "ping", request(t, "ping", { version }));
        t.expect.holds(
          /^1\.\d+$/.test(String(pong.version)),
          `version of the reply to ${what}`,
          pong.version,
          "1.x",
        );
      }
      await accepted(t, "a ping without a version", "ping", request(t, "ping"));
    },
  }),
  hostCheck({
    id: "envelope/other-major-versions-refused",
    clauses: ["ENV-8"],
    async run(t) {
      for (const version of ["2.0", "0.9", "10.0", "2", "11.1"]) {
        const sent = request(t, "store", { entries: [t.entry()], version, unknown_to_1: true });
        const what = `a store of version ${version}, with a field that 1.0 does not know`;
        const { req_id } = await refused(t, what, "store", sent, "version_mismatch");
        t.expect.equal(req_id, sent.id, `req_id of the error to ${what}`);
      }
      const { entries } = await t.caller.retrieve();
      t.expect.equal(entries, [], "entries after stores of other major versions");
    },
  }),
  hostCheck({
    id: "envelope/malformed-versions-refused",
    clauses: ["ENV-8"],
    async run(t) {
      for (const version of ["1", "1.", "1.x", "v1.0", " 1.0", 1]) {
        const what = `a ping with the version ${JSON.stringify(version)}`;
        const sent = request(t, "ping", { version });
        await refused(t, what, "ping", sent, ["schema_violation", "version_mismatch"]);
      }
      await accepted(t, "a ping of version 1.0", "ping", request(t, "ping", { version: "1.0" }));
    },
  }),
];
