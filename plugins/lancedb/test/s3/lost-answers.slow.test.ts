import { type Connection, connect, Index, type Table } from "@lancedb/lancedb";
import { Field, Float64, Schema, Utf8 } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeS3, type Fault } from "./fake-s3.js";
import { isWrite, type S3Request } from "./s3-request.js";

/** Operation of LanceDB on a table, and the rows before and after it. */
interface Operation {
  readonly name: string;
  readonly run: (table: Table) => Promise<unknown>;
  readonly after: readonly string[];
  /** Minimum number of writes. */
  readonly writeCount: number;
  /** Writes that the operation reports as failed when their answer is lost, although they are done. */
  readonly reported?: readonly string[];
}

/** Steps that are repeated for each write of `task`. */
interface Steps<Subject> {
  readonly prepare: () => Promise<Subject>;
  readonly task: (subject: Subject) => Promise<unknown>;
  readonly verify: (subject: Subject) => Promise<void>;
}

const rows = (mark: string, ...ids: number[]) => ids.map((id) => ({ id, mark }));
const SCHEMA = new Schema([new Field("id", new Float64()), new Field("mark", new Utf8())]);
const BEFORE = ["0 a", "1 a", "2 b", "3 b", "5 c"];
const EVERYTHING = new Date(Date.UTC(2200, 0));

const OPERATIONS: readonly Operation[] = [
  {
    name: "add",
    writeCount: 3,
    run: (table) => table.add(rows("d", 6, 7)),
    after: ["0 a", "1 a", "2 b", "3 b", "5 c", "6 d", "7 d"],
  },
  {
    name: "delete",
    writeCount: 3,
    run: (table) => table.delete("id = 2"),
    after: ["0 a", "1 a", "3 b", "5 c"],
  },
  {
    name: "update",
    writeCount: 4,
    run: (table) => table.update({ where: "id < 3", values: { mark: "e" } }),
    after: ["0 e", "1 e", "2 e", "3 b", "5 c"],
  },
  {
    name: "merge insert",
    writeCount: 3,
    run: (table) =>
      table
        .mergeInsert("id")
        .whenMatchedUpdateAll()
        .whenNotMatchedInsertAll()
        .execute(rows("f", 5, 6)),
    after: ["0 a", "1 a", "2 b", "3 b", "5 f", "6 f"],
  },
  {
    name: "compaction with clean-up",
    writeCount: 7,
    run: (table) => table.optimize({ cleanupOlderThan: EVERYTHING, deleteUnverified: true }),
    after: BEFORE,
  },
  {
    name: "create index",
    writeCount: 4,
    run: (table) => table.createIndex("id", { config: Index.btree() }),
    after: BEFORE,
    reported: ["put _versions"],
  },
  { name: "drop index", writeCount: 2, run: (table) => table.dropIndex("mark_idx"), after: BEFORE },
  {
    name: "add columns",
    writeCount: 5,
    run: (table) => table.addColumns([{ name: "more", valueSql: "id + 1" }]),
    after: BEFORE,
  },
  { name: "drop columns", writeCount: 2, run: (table) => table.dropColumns(["unused"]), after: BEFORE },
  {
    name: "restore",
    writeCount: 2,
    run: async (table) => {
      await table.checkout(2);
      await table.restore();
    },
    after: ["0 a", "1 a"],
  },
];

const NAMED = OPERATIONS.map((operation) => [operation.name, operation] as const);

let s3: FakeS3;
let tableCount = 0;

beforeAll(async () => {
  s3 = await FakeS3.start();
});

afterAll(() => s3.stop());

function connectToBucket(): Promise<Connection> {
  return connect("s3://bucket/tables", { storageOptions: s3.storageOptions });
}

/** Creates a table of three fragments with an index. One of them has a removed row. */
async function createTable(): Promise<Table> {
  const connection = await connectToBucket();
  const fields = [...SCHEMA.fields, new Field("unused", new Utf8(), true)];
  const table = await connection.createEmptyTable(`t${++tableCount}`, new Schema(fields));
  for (const part of [rows("a", 0, 1), rows("b", 2, 3), rows("c", 4, 5)]) await table.add(part);
  await table.delete("id = 4");
  await table.createIndex("mark", { config: Index.btree() });
  return table;
}

/** Returns the rows that a new connection reads, sorted. */
async function readRows(name: string): Promise<string[]> {
  const table = await (await connectToBucket()).openTable(name);
  const found = await table.query().select(["id", "mark"]).toArray();
  return found.map(({ id, mark }) => `${id} ${mark}`).sort();
}

/** Loses the answer to the write with this number, from 1. Returns the failing write once it is reached. */
function loseAnswer(number: number, answer: Fault["answer"]): () => string | undefined {
  let count = 0;
  let failed: string | undefined;
  const matches = (request: S3Request) => {
    if (!isWrite(request) || ++count < number) return false;
    failed = `${request.operation} ${request.key.split("/").at(-2)}`;
    return true;
  };
  s3.fail({ matches, afterEffect: true, answer });
  return () => failed;
}

/**
 * Runs `task` once for each of its writes, and loses the answer to this write. Returns the writes that `task`
 * reported as failed.
 */
async function loseEachAnswer<Subject>(
  answer: Fault["answer"],
  { prepare, task, verify }: Steps<Subject>,
): Promise<{ count: number; reported: string[] }> {
  const reported: string[] = [];
  for (let count = 0; ; count++) {
    const subject = await prepare();
    const failedWrite = loseAnswer(count + 1, answer);
    const isDone = await task(subject).then(
      () => true,
      () => false,
    );
    s3.heal();
    const failed = failedWrite();
    if (failed === undefined) return { count, reported };
    if (!isDone) reported.push(failed);
    await verify(subject);
  }
}

// LanceDB 0.37.1 doubles added rows, and compaction leaves a table that names deleted files.
describe.each([500, "cut"] as const)("with the answer %s", (answer) => {
  it.each(NAMED)("%s has its effect once", async (_, { run, after, writeCount, reported = [] }) => {
    const result = await loseEachAnswer(answer, {
      prepare: createTable,
      task: run,
      async verify({ name }) {
        expect(await readRows(name)).toEqual(after);
        const again = await (await connectToBucket()).openTable(name);
        await again.update({ where: "id = 0", values: { mark: "z" } });
        expect(await readRows(name)).toEqual(["0 z", ...after.slice(1)]);
      },
    });
    expect(result.count).toBeGreaterThanOrEqual(writeCount);
    expect(result.reported).toEqual(reported);
  });

  it("create table makes one empty table", async () => {
    const result = await loseEachAnswer(answer, {
      prepare: async () => `t${++tableCount}`,
      task: async (name) => (await connectToBucket()).createEmptyTable(name, SCHEMA),
      verify: async (name) => expect(await readRows(name)).toEqual([]),
    });
    expect(result).toEqual({ count: 2, reported: [] });
  });

  it("drop table removes all its objects", async () => {
    const result = await loseEachAnswer(answer, {
      prepare: createTable,
      task: async ({ name }) => (await connectToBucket()).dropTable(name),
      async verify({ name }) {
        expect(await (await connectToBucket()).tableNames()).not.toContain(name);
        expect(s3.store.keys.filter((key) => key.includes(`/${name}.lance/`))).toEqual([]);
      },
    });
    expect(result.count).toBeGreaterThanOrEqual(1);
    expect(result.reported).toEqual([]);
  });
});

it("an index exists once and is used after its creation was reported as failed", async () => {
  const table = await createTable();
  const isManifest = ({ key }: S3Request) => key.endsWith(".manifest");
  s3.fail({ matches: (request) => isWrite(request) && isManifest(request), afterEffect: true, answer: 500 });
  const create = () => table.createIndex("id", { config: Index.btree() });
  await expect(create()).rejects.toThrow("Retryable commit conflict");
  // The handle still has the version before the index.
  await expect(create()).rejects.toThrow("Retryable commit conflict");
  await table.checkoutLatest();
  await create();
  const names = (await table.listIndices()).map(({ name }) => name).sort();
  expect(names).toEqual(["id_idx", "mark_idx"]);
  expect(await table.countRows("id = 3")).toBe(1);
});
