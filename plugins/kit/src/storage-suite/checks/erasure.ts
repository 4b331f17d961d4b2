import { randomBytes } from "node:crypto";
import { type Scope, scopeId } from "@membus/protocol";
import type { Row } from "../../row.js";
import type { Storage } from "../../storage.js";
import { filesContaining, type Secrets } from "../bytes-on-disk.js";
import { expectEqual, NotApplicableError } from "../expectation.js";
import { ExpectedRows } from "../expected-rows.js";
import { killDuring } from "../killed-writer.js";
import type { StorageCheck } from "../storage-check.js";
import { DIMENSIONS, keyHashOf, makeRow, makeRows, ownScope, scoped } from "../test-rows.js";
import { purge, type Workbench } from "../workbench.js";
import { ROUND_SCOPES, rowsOf } from "../write-rounds.js";

const ALICE = ownScope("alice");
const BOB = ownScope("bob", "default", "other");

const word = (): string => randomBytes(18).toString("hex");

/** A row with unique values in every part. */
interface SecretRow {
  readonly row: Row;
  readonly secrets: Secrets;
}

function secretRow(rowId: number): SecretRow {
  const [content, tag, group] = [word(), word(), word()];
  const vector = new Float32Array(DIMENSIONS).map(() => randomBytes(2).readUInt16LE() / 65_536);
  const keyHash = keyHashOf(word());
  const body = `{"content":"${content}","ttl":null}`;
  const facets = `{"key":{"id":${rowId}},"tags":["${tag}"],"source":"a","author":"a"}`;
  const secrets = {
    ...{ "a content": content, "a tag": tag, "a group": group },
    "a key hash": Buffer.from(keyHash, "hex"),
    "a vector": new Uint8Array(vector.buffer),
  };
  return { row: makeRow(rowId, { body, facets, group, keyHash, vector }), secrets };
}

/** Returns the secrets that occur in plain in files. The others prove nothing. */
async function secretsInPlain(directory: string, secrets: Secrets): Promise<Secrets> {
  const found = await filesContaining(directory, secrets);
  if (Object.keys(found).length === 0) {
    throw new NotApplicableError(
      "its folder contains no values in plain, so their erasure cannot be checked",
    );
  }
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => name in found));
}

async function expectErased(
  storage: Storage,
  directory: string,
  secrets: Secrets,
  tenant?: string,
): Promise<void> {
  const done = await purge(storage, tenant);
  expectEqual(done, true, "whether a purge eventually reports completion");
  expectEqual(
    await filesContaining(directory, secrets),
    {},
    "files that contain removed values after a purge",
  );
}

interface Prepared {
  readonly directory: string;
  readonly storage: Storage;
  readonly expectedRows: ExpectedRows;
  readonly secrets: Secrets;
}

const SECRET_ID = 5;

/** Returns a synced storage with a secret row among others. */
async function prepare(bench: Workbench, scope: Scope = ALICE): Promise<Prepared> {
  const directory = await bench.directory();
  const storage = await bench.open(directory);
  const expectedRows = new ExpectedRows();
  const { row, secrets } = secretRow(SECRET_ID);
  await expectedRows.append(storage, scoped(scope, [...makeRows(1, 4), row]));
  await expectedRows.append(storage, [...scoped(scope, makeRows(6, 40)), ...scoped(BOB, makeRows(60, 40))]);
  await storage.sync();
  return { directory, storage, expectedRows, secrets: await secretsInPlain(directory, secrets) };
}

const removedRows: StorageCheck = {
  id: "erasure/removed-rows",
  rule: "Once `maintain` with `purge` has returned true, no file of the folder contains a byte of rows removed before.",
  async run(bench) {
    const { directory, storage, expectedRows, secrets } = await prepare(bench);
    await expectedRows.remove(storage, ALICE, [SECRET_ID]);
    await expectErased(storage, directory, secrets);
    await expectedRows.expectIn(storage, "after a purge");
    await expectedRows.expectIn(await bench.reopen(storage, directory), "after a purge and reopening");
    expectEqual(
      await filesContaining(directory, secrets),
      {},
      "files that contain purged values after reopening",
    );
  },
};

const beforeReopening: StorageCheck = {
  id: "erasure/removed-before-reopening",
  rule: "A purge includes rows that were removed before the storage was opened.",
  async run(bench) {
    const { directory, storage, expectedRows, secrets } = await prepare(bench);
    await expectedRows.remove(storage, ALICE, [SECRET_ID]);
    await storage.sync();
    const reopened = await bench.reopen(storage, directory);
    await expectErased(reopened, directory, secrets);
    await expectedRows.expectIn(reopened, "after a purge");
  },
};

const takenBack: StorageCheck = {
  id: "erasure/taken-back",
  rule: "A purge includes rows that `removeFrom` deleted.",
  async run(bench) {
    const { directory, storage, expectedRows, secrets } = await prepare(bench);
    await expectedRows.removeFrom(storage, SECRET_ID, [ALICE]);
    await expectErased(storage, directory, secrets);
    await expectedRows.expectIn(storage, "after a purge");
  },
};

const ofTenant: StorageCheck = {
  id: "erasure/of-a-tenant",
  rule: "With `tenant`, `maintain` purges the rows of that tenant, whatever is pending for others.",
  async run(bench) {
    const { directory, storage, expectedRows, secrets } = await prepare(bench);
    await expectedRows.remove(storage, BOB, [60, 61]);
    await expectedRows.remove(storage, ALICE, [SECRET_ID]);
    await expectErased(storage, directory, secrets, ALICE.tenant);
    await expectedRows.expectIn(storage, "after a purge of one of two tenants");
  },
};

const scopeNames: StorageCheck = {
  id: "erasure/names-of-scopes",
  rule: "A scope disappears with its last row: after a purge no file contains its namespace, in its contents or its name.",
  async run(bench) {
    const namespace = word();
    const scope = ownScope("alice", namespace);
    const { directory, storage, expectedRows } = await prepare(bench, scope);
    await expectedRows.append(storage, scoped(ALICE, [makeRow(200)]));
    const secrets = await secretsInPlain(directory, { "a namespace": namespace });
    await expectedRows.remove(storage, scope, expectedRows.idsOf(scopeId(scope)));
    await expectErased(storage, directory, secrets);
    await expectedRows.expectIn(storage, "after a purge");
  },
};

const afterKill: StorageCheck = {
  id: "erasure/after-a-kill",
  rule: "A purge includes data that a killed process left in unused files.",
  async run(bench) {
    const directory = await bench.directory();
    let round = 0;
    const { killCount } = bench.options;
    for (let kill = 1; kill <= killCount; kill++) {
      const at = { step: "append", part: kill / (killCount + 1) } as const;
      round = (await killDuring(at, bench, directory, round, new ExpectedRows())).round + 1;
    }
    // Parts from the middle of each body, which are unique.
    const rows = Array.from({ length: round }, (_, written) => rowsOf(written)).flat();
    const some = rows.filter((_, index) => index % SECRETS_ONE_OF === 0);
    const written = some.map(({ row }) => [`row ${row.rowId}`, row.body.slice(1_000, 1_100)]);
    const secrets = await secretsInPlain(directory, Object.fromEntries(written));
    const storage = await bench.open(directory);
    await storage.removeFrom(0, ROUND_SCOPES);
    await expectErased(storage, directory, secrets);
  },
};

/** Prime, so that every scope is sampled. */
const SECRETS_ONE_OF = 11;

export const erasureChecks = [removedRows, beforeReopening, takenBack, ofTenant, scopeNames, afterKill];
