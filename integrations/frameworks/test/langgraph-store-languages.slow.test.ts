import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MembusStore } from "../src/langgraph/index.js";
import { HAS_PYTHON, NEEDS_PYTHON, PythonProcess } from "./one-fact/python-process.js";
import { RealHost } from "./real-host.js";

const ADA = ["people", "ada"];
const TEA = { drink: "tea", cups: 3, hot: true, at: { hour: 5 } };
const MANY = Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`field${n}`, n]));
const LONG = "word ".repeat(70_000);

describe.skipIf(!HAS_PYTHON)(`LangGraph items shared by two languages (${NEEDS_PYTHON})`, () => {
  const host = new RealHost();
  let store: MembusStore;
  let python: PythonProcess;
  const put = (key: string, value: object) => python.call("put_item", { key, value });
  const filtered = (filter: object) => python.call("filter_items", { filter });
  const keys = async (filter: object) => (await store.search(["people"], { filter })).map(({ key }) => key);

  beforeAll(async () => {
    await host.start();
    store = new MembusStore(await host.connect({ agent: "alice" }));
    python = new PythonProcess(host.url, "alice");
  });
  afterAll(async () => {
    await python?.stop();
    await host.close();
  });

  it("are found by each field of their values, in both languages", async () => {
    await put("python", TEA);
    await put("python many", MANY);
    await store.put(ADA, "javascript", TEA);
    await store.put(ADA, "javascript many", MANY);
    for (const filter of [{ drink: "tea" }, { cups: 3 }, { hot: true }, { cups: { $gt: 2 }, drink: "tea" }]) {
      expect(await keys(filter)).toEqual(["python", "javascript"]);
      expect(await filtered(filter)).toEqual([
        ["python", TEA],
        ["javascript", TEA],
      ]);
    }
    expect(await keys({ field69: 69 })).toEqual(["python many", "javascript many"]);
    expect(await filtered({ field69: 69 })).toHaveLength(2);
    expect([await keys({ cups: 4 }), await filtered({ cups: 4 })]).toEqual([[], []]);
    expect(await store.listNamespaces()).toEqual([ADA]);
    expect(await python.call("list_items")).toEqual([ADA]);
  });

  it("are replaced and deleted by the other language, with all parts", async () => {
    const memory = await host.connect({ agent: "alice", namespace: "langgraph/store" });
    const parts = async () => {
      const where = { field: "metadata.kind", op: "eq", value: "part" } as const;
      return (await memory.retrieve({ where, limit: 0 })).total;
    };
    await put("long", { text: LONG });
    expect((await store.get(ADA, "long"))!.value).toEqual({ text: LONG });
    await store.put(ADA, "long", { text: "short" });
    expect([await parts(), await filtered({ text: "short" })]).toEqual([0, [["long", { text: "short" }]]]);
    await store.put(ADA, "long", { text: LONG, kind: "long" });
    expect(await filtered({ kind: "long" })).toEqual([["long", { text: LONG, kind: "long" }]]);
    await put("long", { text: "again" });
    expect([await parts(), (await store.get(ADA, "long"))!.value]).toEqual([0, { text: "again" }]);
    await put("long", { text: LONG });
    await store.delete(ADA, "long");
    expect([await parts(), await filtered({ text: LONG })]).toEqual([0, []]);
  });
});
