import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHECKS, type CheckResult, createHostWorld, runSuite } from "../../src/index.js";
import { type ForeignHost, startForeignHost } from "./foreign-host.js";

/** Areas that the host's author implemented correctly from the protocol text. */
const KEPT = [
  "store/created-then-updated",
  "store/every-entry-of-a-batch-is-kept",
  "keys/string-is-short-for-name",
  "entry/content-is-any-json",
  "retrieve/tags-any",
  "forget/deleted-is-what-went",
  "scope/agents-are-apart",
  "concurrency/one-entry-per-key",
  "envelope/req-id-is-the-id-of-the-request",
  "discovery/pong-names-host-and-tiers",
  "discovery/queue-group",
] as const;

/** Defects of the host, with the message that a report must contain. */
const BROKEN: readonly (readonly [check: string, message: RegExp])[] = [
  ["retrieve/limit-is-upper-bound", /^entries on a page with limit 3 of 5 entries: expected 3, got 5$/],
  ["retrieve/tags-all", /^entries with all of the tags a and b/],
  ["namespace/absent-is-default", /^total of a retrieve in another namespace.*: expected 0, got 1$/],
  ["scope/sessions-are-apart", /by the other session: expected "created", got "updated"$/],
  ["full-text/more-of-the-words-rank-higher", /^ids for the query "heron violet lake"/],
  [
    "keys/order-of-fields-does-not-matter",
    /with reordered fields at all levels: expected "updated", got "created"$/,
  ],
  ["entry/revision-grows", /^revisions of a key that is created, updated, forgotten.*got \[1,2,1,2\]$/],
  ["entry/what-only-the-host-sets-is-ignored", /^author, .*got \{"author":"another name"/],
  ["update/unchanged-makes-no-revision", /^outcome of the same store repeated: expected "unchanged"/],
  ["ttl/refused-when-undeclared", /with a ttl, which is not declared: expected \["unsupported"\], got \[\]$/],
  [
    "recency/refused-when-undeclared",
    /"recency".*without recency declared: expected an error unsupported, got/,
  ],
  ["conditional/zero-demands-that-there-is-none", /with if_revision 0: expected \{"code":"conflict"/],
  ["forget/dry-run-counts-and-keeps", /^entries that are there after a dry run: expected 3/],
  ["retry/store-gets-its-first-result", /^the result of a repeated store/],
  ["encoding/first-byte-decides-without-a-header", /as a MessagePack map/],
  ["envelope/unknown-field-refused", /with the unknown field/],
  ["errors/nats-headers-show-the-error", /^header Nats-Service-Error-Code/],
  ["events/stored-for-every-write", /^key and revision of the `stored` events.*got \[\]$/],
  ["discovery/answers-stats", /^answers of the host to \$SRV\.STATS: expected 1, got 0$/],
  ["retrieve/page-is-cut-to-payload", /\.memory\.retrieve\.req: expected one, got none: no reply/],
];

let host: ForeignHost;

async function run(
  checks: typeof CHECKS,
  onResult: (done: number) => void = () => {},
): Promise<Map<string, CheckResult>> {
  const world = await createHostWorld(host.implementation);
  const results = await runSuite(checks, world, { seed: 7, onResult: (_, __, { done }) => onResult(done) });
  return new Map(results.map((result) => [result.id, result]));
}

function messageOf(result: CheckResult | undefined): string {
  const { discrepancy, reason } = result?.cases.find(({ outcome }) => outcome !== "pass") ?? {};
  return discrepancy
    ? `${discrepancy.what}: expected ${discrepancy.expected}, got ${discrepancy.got}`
    : `${reason}`;
}

function withOutcome(results: Map<string, CheckResult>, outcome: CheckResult["outcome"]): string[] {
  return [...results.values()].filter((result) => result.outcome === outcome).map(({ id }) => id);
}

describe("a host without any code of membus", () => {
  let results: Map<string, CheckResult>;

  beforeAll(async () => {
    host = await startForeignHost();
    results = await run(CHECKS);
  });
  afterAll(() => host.stop());

  it("is tested without a suite error, and every check has a result", () => {
    expect(withOutcome(results, "suite-error").map((id) => messageOf(results.get(id)))).toEqual([]);
    expect(results.size).toBe(CHECKS.filter(({ routes }) => routes.includes("host")).length);
  });

  it.each(KEPT)("keeps %s", (id) => {
    expect(results.get(id)?.outcome, messageOf(results.get(id))).toBe("pass");
  });

  it.each(BROKEN)("fails %s with a clear message", (id, message) => {
    expect(results.get(id)?.outcome).toBe("fail");
    expect(messageOf(results.get(id))).toMatch(message);
  });

  it("reports checks that need more than the run provides, with the missing requirement", () => {
    expect(messageOf(results.get("host-plugins/pages-are-checked"))).toMatch(/loads JavaScript plugins/);
    expect(results.get("host-plugins/pages-are-checked")?.outcome).toBe("not-applicable");
    expect(results.get("scope/tenants-are-apart")?.outcome).toBe("untestable");
    expect(results.get("events/hold-no-content")?.outcome).toBe("untestable");
    expect(messageOf(results.get("events/hold-no-content"))).toMatch(/needs the 2 events/);
  });
});

describe("a host that ends during a run", () => {
  const checks = CHECKS.filter(({ area }) => ["store", "keys", "envelope"].includes(area));

  beforeAll(async () => {
    host = await startForeignHost();
  });
  afterAll(() => host.stop());

  it.each(["SIGSTOP", "SIGKILL"] as const)("gets a complete report, by %s", async (signal) => {
    const results = await run(checks, (done) => {
      if (done === 10) host.signal(signal);
    });
    host.signal("SIGCONT");
    expect(withOutcome(results, "suite-error").map((id) => messageOf(results.get(id)))).toEqual([]);
    const deleted = withOutcome(results, "fail").filter((id) =>
      messageOf(results.get(id)).startsWith("the host, probed"),
    );
    expect(deleted.length).toBeGreaterThan(20);
  });
});
