import { type Scope, scopeId } from "@membus/protocol";
import { ExpectedRows } from "../expected-rows.js";
import type { StorageCheck } from "../storage-check.js";
import { keyHashOf, makeRow, ownScope, scoped, sharedScope, TENANT } from "../test-rows.js";
import type { Workbench } from "../workbench.js";

/**
 * Expects that scopes with similar names are independent: operations on one do not affect the others. Each
 * scope loses its rows from a different level on, in two rounds with opposite orders. So rows that are
 * wrongly removed from another scope are noticed.
 */
async function expectIndependent(bench: Workbench, scopes: readonly Scope[]): Promise<void> {
  const directory = await bench.directory();
  const expectedRows = new ExpectedRows();
  let storage = await bench.open(directory);
  const heights = scopes.length;
  const idAt = (height: number, index: number) => height * scopes.length + index;
  for (const [index, scope] of scopes.entries()) {
    const levels = Array.from({ length: heights * 2 + 1 }, (_, height) => height);
    const rows = levels.map((height) => makeRow(idAt(height, index), { keyHash: keyHashOf(height) }));
    await expectedRows.append(storage, scoped(scope, rows));
  }
  await expectedRows.expectIn(storage, "after each got its rows");
  for (const [index, scope] of scopes.entries()) await expectedRows.remove(storage, scope, [idAt(0, index)]);
  await expectedRows.expectIn(storage, "after one row of each was removed");
  for (const [index, scope] of scopes.entries())
    await expectedRows.removeFrom(storage, idAt(heights + 1 + index, 0), [scope]);
  await expectedRows.expectIn(storage, "after removeFrom deleted more of the first than of the last");
  for (const [index, scope] of scopes.entries())
    await expectedRows.removeFrom(storage, idAt(heights - index, 0), [scope]);
  await expectedRows.expectIn(storage, "after removeFrom deleted more of the last than of the first");
  await storage.sync();
  storage = await bench.reopen(storage, directory);
  await expectedRows.expectIn(storage, "after reopening");
  await storage.maintain({ purge: true });
  await expectedRows.expectIn(await bench.reopen(storage, directory), "after a purge and reopening");
}

const agents = (...names: string[]): Scope[] => names.map((name) => ownScope(name));
const namespaces = (...names: string[]): Scope[] => names.map((name) => ownScope("alice", name));
const tenants = (...names: string[]): Scope[] => names.map((name) => ownScope("alice", "default", name));

/** Scopes that must be independent, with the end of each check's title. */
const SIMILAR_SCOPES: Readonly<Record<string, { readonly by: string; readonly scopes: readonly Scope[] }>> = {
  "letter-case": {
    by: "only the case of letters",
    scopes: [
      ...agents("bob", "Bob", "BOB"),
      ...namespaces("stra\u00dfe", "strasse", "STRASSE", "\u0130", "i"),
      ...tenants("Acme", "ACME"),
    ],
  },
  delimiters: {
    by: "the position of a delimiter in the names",
    scopes: [
      ...["_", ":", ".", "-", "/", "%", "|", ",", " ", "__", "%2F", '","', "~", "=", "#"].flatMap((sign) => [
        ownScope("a", `b${sign}c`),
        ownScope(`a${sign}b`, "c"),
      ]),
      ...["\u0000", "\u001f", "\n"].map((sign) => ownScope(`a${sign}b`, "c")),
      ...["_", "-", "__", "--"].flatMap((sign) => [
        ownScope(`x${sign}b`, "c"),
        ownScope("b", "c", `acme${sign}x`),
      ]),
    ],
  },
  prefixes: {
    by: "the text after a common prefix, or by the tier",
    scopes: [
      ...agents("alice", "alice2", "alic", "null"),
      ...namespaces("a", "a/b", "a/b/c", "ab", "a-b", "default2"),
      ...tenants("acme2", "acm", "acme-"),
      ...[sharedScope("default"), sharedScope("a"), sharedScope("alice")],
    ],
  },
  "unicode-forms": {
    by: "Unicode forms",
    scopes: [
      ...agents("zo\u00eb", "zoe\u0308", "zoe"),
      ...namespaces(
        "\ufb01le",
        "file",
        "\uff21",
        "A",
        "\u212b",
        "\u00c5",
        "\u{1f600}",
        "\u{1f601}",
        "\ufffd",
      ),
      ...namespaces("a\u200db", "ab", "\u0410", "a\u00a0b", "a b"),
    ],
  },
  patterns: {
    by: "characters with a meaning in patterns and queries",
    scopes: [
      ...agents("a%", "a_", "ab", "a*", "a?", "a.", "a[b]", "a\\", "a'", "a''", 'a"', "a`"),
      ...namespaces("%", "_", "x", ".+", "' or '1'='1", "a\\", "a\\\\", "$1", "{0}", "~", ">"),
      ...tenants("acm_", "acm-"),
    ],
  },
  "file-names": {
    by: "names with a meaning for file systems and JavaScript",
    scopes: [
      ...agents(
        "..",
        ".",
        "../bob",
        "/etc",
        "a/../b",
        "b",
        "CON",
        "nul.json",
        "lock",
        "a:b",
        "a\u0000b",
        "-rf",
        " ",
      ),
      ...namespaces("..", ".", "lock", "index", "rows.json", "a ", "a", "a.", "__proto__", "constructor"),
      ...tenants("__proto__", "constructor", "toString", "log"),
    ],
  },
  "long-names": {
    by: "the last character of the longest names",
    scopes: [
      ...["a", "b"].map((end) => ownScope(`${"n".repeat(191)}${end}`)),
      ...["a", "b"].map((end) =>
        ownScope("alice", `${`${"s".repeat(64)}/`.repeat(7)}${"s".repeat(63)}${end}`),
      ),
      ...["a", "b"].map((end) =>
        ownScope("alice", `${`${"\u65e5".repeat(64)}/`.repeat(7)}${"\u65e5".repeat(63)}${end}`),
      ),
      ...["a", "b"].map((end) => ownScope("alice", "default", `${"t".repeat(63)}${end}`)),
    ],
  },
};

const similar: StorageCheck[] = Object.entries(SIMILAR_SCOPES).map(([name, { by, scopes }]) => ({
  id: `scopes/${name}`,
  rule: `Different scope ids are different scopes, also if they differ by ${by}.`,
  run: (bench) => expectIndependent(bench, uniqueScopes(scopes)),
}));

function uniqueScopes(scopes: readonly Scope[]): Scope[] {
  return [...new Map(scopes.map((scope) => [scopeId(scope), scope])).values()];
}

const SCOPE_COUNT = 500;

const many: StorageCheck = {
  id: "scopes/many",
  rule: "There may be many scopes, and one `append` or `remove` may affect many of them.",
  async run(bench) {
    const directory = await bench.directory();
    const expectedRows = new ExpectedRows();
    let storage = await bench.open(directory);
    const scopes = Array.from({ length: SCOPE_COUNT }, (_, index) =>
      ownScope(`agent ${index % 7}`, `namespace ${index}`, index % 2 === 0 ? TENANT : `tenant-${index % 5}`),
    );
    await expectedRows.append(
      storage,
      scopes.flatMap((scope, index) => scoped(scope, [makeRow(index), makeRow(10_000 + index)])),
    );
    const removedIds = scopes.flatMap((scope, index) =>
      index % 3 === 0 ? [{ scope: scopeId(scope), rowId: index }] : [],
    );
    await storage.remove(removedIds);
    for (const { scope, rowId } of removedIds) expectedRows.drop(scope, [rowId]);
    await expectedRows.expectIn(storage, `with ${SCOPE_COUNT} scopes`);
    await expectedRows.removeFrom(storage, 10_000, scopes.slice(0, SCOPE_COUNT / 2));
    await storage.sync();
    storage = await bench.reopen(storage, directory);
    await expectedRows.expectIn(storage, `with ${SCOPE_COUNT} scopes after reopening`);
  },
};

export const scopeChecks = [...similar, many];
