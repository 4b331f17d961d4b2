import { MemoryError } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import { FaultyLogFiles } from "../../disk/test/faulty-log-file.js";
import { calls } from "./kit-calls.js";
import { settled, TestKit } from "./kit-fixture.js";
import { MemoryStorage } from "./memory-storage.js";
import { ScriptedEmbedder } from "./scripted-embedder.js";

async function faultyKit() {
  const files = new FaultyLogFiles();
  const embedder = new ScriptedEmbedder();
  const kit = await TestKit.open({ openFile: files.openFile, embedder });
  return { kit, files, embedder, ...calls(kit) };
}

describe("a log with a write error", () => {
  it("fails concurrent stores without any effect", async () => {
    const { kit, files, store, forget, retrieve, entry } = await faultyKit();
    await store([{ key: "kept", content: "before" }]);
    files.isFailing = true;
    const lost = await Promise.allSettled([
      ...Array.from({ length: 64 }, (_, at) => store([{ key: `k${at % 4}`, content: at }])),
      store([{ key: "kept", content: "lost" }]),
      forget({ keys: ["kept"] }),
    ]);
    expect(new Set(lost.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    expect(lost.every((result) => (result as PromiseRejectedResult).reason.code === "unavailable")).toBe(
      true,
    );
    expect((await retrieve()).entries.map(({ content }) => content)).toEqual(["before"]);
    files.isFailing = false;
    const { receipts, errors } = await store([{ key: "k0", content: "new", if_revision: 0 }]);
    expect([receipts[0]?.outcome, errors]).toEqual(["created", []]);
    expect((await entry("kept"))?.content).toBe("before");
    await kit.crash();
    expect((await retrieve({ order: "oldest" })).entries.map(({ content }) => content)).toEqual([
      "before",
      "new",
    ]);
  });

  it("does not remember failed operations: the retry has the effect", async () => {
    const { files, store, forget, retrieve } = await faultyKit();
    files.isFailing = true;
    await expect(store([{ key: "k", content: 1 }], { id: "one" })).rejects.toMatchObject({ retryable: true });
    files.isFailing = false;
    const first = await store([{ key: "k", content: 1 }], { id: "one" });
    expect(first.receipts[0]!.outcome).toBe("created");
    files.isFailing = true;
    await expect(forget({}, { id: "two" })).rejects.toMatchObject({ retryable: true });
    files.isFailing = false;
    expect((await forget({}, { id: "two" })).deleted).toBe(1);
    expect((await forget({}, { id: "two" })).deleted).toBe(1);
    expect((await retrieve()).total).toBe(0);
  });

  it("voids the plans of waiting stores that are based on it", async () => {
    const { files, embedder, store, entry } = await faultyKit();
    embedder.state = "hangs";
    const planned = store([{ key: "k", content: "second" }]);
    await settled(3);
    embedder.state = "answers";
    files.isFailing = true;
    const lost = store([{ key: "k", content: "lost", metadata: { of: "lost" } }]);
    const alsoPlanned = store([{ key: "k", content: "third", context: "ctx" }]);
    const failures = [lost, alsoPlanned].map((stored) =>
      expect(stored).rejects.toMatchObject({ code: "unavailable" }),
    );
    await Promise.all(failures);
    files.isFailing = false;
    embedder.release();
    expect((await planned).receipts[0]!.outcome).toBe("created");
    expect(await entry("k", { include: ["context"] })).toMatchObject({ content: "second" });
    expect((await entry("k"))?.metadata).toBeUndefined();
  });

  it("counts all deletions of a forget in slices when it is repeated", async () => {
    const { kit, files, store, forget, retrieve } = await faultyKit();
    for (const namespace of ["a/1", "a/2", "a/3"]) {
      await store([{ key: "x" }, { key: "y" }], { namespace });
    }
    await failSecondAppend(kit, files, () => forget({}, { namespace: "a/**", id: "f" }));
    expect((await retrieve({}, { namespace: "a/**" })).total).toBe(4);
    for (let attempt = 0; attempt < 2; attempt++) {
      const reply = await forget({}, { namespace: "a/**", id: "f" });
      expect(reply).toMatchObject({ deleted: 6, purge: "scheduled" });
    }
  });

  it.each([
    ["in the same process", async () => undefined],
    ["after a crash", (kit: TestKit) => kit.crash()],
  ])(
    "keeps later entries of namespaces that a forget has completed when it is repeated %s",
    async (_, then) => {
      const { kit, files, embedder, store, forget, retrieve } = await faultyKit();
      const everywhere = { namespace: "a/**" };
      const forgetAll = () => forget({}, { ...everywhere, id: "f" });
      for (const namespace of ["a/2", "a/3"]) await store([{ key: "x" }, { key: "y" }], { namespace });
      await failSecondAppend(kit, files, forgetAll);
      await then(kit);
      for (const namespace of ["a/1", "a/2", "a/3"]) {
        await store([{ key: "x", content: "later" }], { namespace });
      }
      embedder.state = "hangs";
      const waiting = store([{ key: "y", content: "later" }], { namespace: "a/2" });
      await settled(3);
      embedder.state = "answers";
      expect(await forgetAll()).toMatchObject({ deleted: 4 });
      embedder.release();
      expect((await waiting).receipts).toMatchObject([{ outcome: "created" }]);
      const { entries } = await retrieve({ order: "oldest" }, everywhere);
      expect(entries.map(({ namespace, content }) => [namespace, content])).toEqual([
        ["a/1", "later"],
        ["a/2", "later"],
        ["a/2", "later"],
      ]);
    },
  );
});

/** Runs an operation with a log that accepts only its first record. */
async function failSecondAppend(kit: TestKit, files: FaultyLogFiles, run: () => Promise<unknown>) {
  const append = kit.log.append.bind(kit.log);
  let appended = 0;
  kit.log.append = (encode) => {
    files.isFailing = ++appended > 1;
    return append(encode);
  };
  await expect(run()).rejects.toMatchObject({ code: "unavailable" });
  files.isFailing = false;
  kit.log.append = append;
}

it("closes the storage when the log cannot be opened", async () => {
  const storage = new MemoryStorage(8);
  const openFile = () => Promise.reject(new MemoryError("unavailable", "no disk"));
  await expect(TestKit.open({ storage, openFile })).rejects.toThrow("no disk");
  expect(storage.isOpen).toBe(false);
});
