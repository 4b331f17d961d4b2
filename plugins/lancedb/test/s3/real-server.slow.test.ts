import { scopeId, systemClock } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { TableBucket } from "../../src/s3.js";
import { episodic, loadIds, makeRow, scoped } from "../storage-fixture.js";
import { type Owned, OwnedTables } from "./owned-tables.js";
import { isInstalled, moto, RealS3, type S3Program, versitygw } from "./real-server.js";

const acme = episodic("acme");
const UNAVAILABLE = { code: "unavailable" };

const append = ({ storage }: Owned, ...ids: number[]) =>
  storage.append(scoped(acme, ...ids.map((id) => makeRow(id))));
const idsOf = ({ storage }: Owned) => loadIds(storage, acme);

function testProgram(program: S3Program): void {
  let s3: RealS3;
  let tables: OwnedTables;
  beforeAll(async () => {
    s3 = await RealS3.start(program);
    tables = new OwnedTables(TableBucket.connect({ ...s3.options, prefix: "tables" }, systemClock));
  });
  afterAll(async () => {
    await tables?.close();
    await s3?.stop();
  });

  it("passes the check of a bucket", async () => {
    await TableBucket.connect({ ...s3.options, prefix: "checked" }, systemClock).check();
  });

  it("keeps rows of successive owners, and refuses the changes of former ones", async () => {
    const first = await tables.takeOver("owners");
    await append(first, 1, 2);
    await first.storage.sync();
    await append(first, 3);
    const second = await tables.takeOver("owners");
    expect(await idsOf(second)).toEqual([1, 2]);
    await expect(append(first, 4)).rejects.toMatchObject(UNAVAILABLE);
    await append(second, 5);
    await second.storage.sync();
    expect(await idsOf(await tables.takeOver("owners"))).toEqual([1, 2, 5]);
  });

  it("aborts unfinished uploads of tables without a record", async () => {
    const keys = ["t_gone.lance/data/1.lance", "t_gone.lance/data/2.lance", "t_late.lance/data/1.lance"];
    for (const key of keys) await s3.beginUpload(`tables/uploads/${key}`);
    await s3.beginUpload("tables/kept/t_acme.lance/data/1.lance");
    expect(await s3.uploads("tables/uploads/")).toHaveLength(keys.length);
    await tables.takeOver("uploads");
    expect(await s3.uploads("tables/")).toEqual(["tables/kept/t_acme.lance/data/1.lance"]);
  });

  it("erases removed rows, and works on", async () => {
    const owned = await tables.takeOver("erased");
    await append(owned, ...Array.from({ length: 40 }, (_, index) => index + 1));
    await owned.storage.sync();
    await owned.storage.remove([{ scope: scopeId(acme), rowId: 1 }]);
    await owned.storage.sync();
    expect(await owned.storage.maintain({ purge: true, tenant: "acme" })).toBe(true);
    await append(owned, 41);
    await owned.storage.sync();
    expect(await idsOf(await tables.takeOver("erased"))).toHaveLength(40);
  });
}

describe.skipIf(!isInstalled(versitygw))(
  "versitygw (needs MEMBUS_TEST_VERSITYGW, or the program on the PATH)",
  () => testProgram(versitygw),
);

describe.skipIf(!isInstalled(moto))("moto (needs MEMBUS_TEST_MOTO, or moto_server on the PATH)", () => {
  testProgram(moto);

  it("is refused if its bucket keeps earlier versions", async () => {
    const s3 = await RealS3.start(moto);
    onTestFinished(() => s3.stop());
    await s3.keepVersions();
    const checked = TableBucket.connect({ ...s3.options, prefix: "tables" }, systemClock).check();
    await expect(checked).rejects.toThrow("turn off versioning and object lock");
  });
});
