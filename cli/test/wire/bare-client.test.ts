import { decode, encode } from "@msgpack/msgpack";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { sendBytes } from "./bare-request.js";
import { Wire } from "./wire-fixture.js";

const STORE = "a2e.default.alice.memory.store.req";
const RETRIEVE = "a2e.default.alice.memory.retrieve.req";
const MSGPACK = "application/msgpack";

describe.each(NATS_SERVERS)("a plain NATS client of %s", (binary) => {
  let wire: Wire;
  let nats: NatsConnection;

  beforeAll(async () => {
    wire = await Wire.start({ binary });
    nats = await wire.connection();
  });
  afterAll(() => wire?.close());

  it("sends hand-written JSON and receives JSON", async () => {
    const request = '{"type":"memory/store/req","id":"by-hand","entries":[{"key":"tea","content":"green"}]}';
    const { data, headers } = await nats.request(STORE, request);
    expect(headers?.get("Content-Type")).toBe("application/json");
    expect(JSON.parse(new TextDecoder().decode(data))).toMatchObject({
      type: "memory/store/resp",
      version: "1.1",
      req_id: "by-hand",
      stored: [{ name: "tea" }],
      errors: [],
      receipts: [{ index: 0, outcome: "created", event_id: "by-hand/0" }],
    });
  });

  it.each([MSGPACK, undefined])(
    "sends MessagePack with the header %s and receives MessagePack",
    async (contentType) => {
      const request = { type: "memory/retrieve/req", id: "packed", keys: ["tea"] };
      const { message, ...reply } = await sendBytes(nats, RETRIEVE, encode(request), contentType);
      expect(reply).toEqual({ encoding: "msgpack", contentType: MSGPACK, errorCode: "" });
      expect(message).toMatchObject({ req_id: "packed", total: 1, entries: [{ content: "green" }] });
    },
  );

  it("receives errors in the encoding of its request, with the standard NATS service headers", async () => {
    const wrong = { type: "memory/retrieve/req", id: "wrong", limit: -1 };
    const json = await sendBytes(nats, RETRIEVE, JSON.stringify(wrong));
    const packed = await sendBytes(nats, RETRIEVE, encode(wrong), MSGPACK);
    expect([json.contentType, packed.contentType]).toEqual(["application/json", MSGPACK]);
    for (const { errorCode, message } of [json, packed]) {
      expect(errorCode).toBe("400");
      expect(message).toMatchObject({ type: "error", req_id: "wrong", code: "schema_violation" });
      expect(message).toMatchObject({ detail: { path: "limit" }, capability_name: "memory" });
    }
  });

  it("receives vectors as lists in JSON and as float32 in MessagePack", async () => {
    await nats.request(STORE, '{"type":"memory/store/req","entries":[{"key":"v","content":"the moon"}]}');
    const request = { type: "memory/retrieve/req", query: "moon", keys: ["v"], include: ["embedding"] };
    const json = JSON.parse((await nats.request(RETRIEVE, JSON.stringify(request))).string());
    const packed = decode((await nats.request(RETRIEVE, encode(request))).data) as typeof json;
    const list: number[] = json.entries[0].embedding;
    const bytes: Uint8Array = packed.entries[0].embedding;
    expect(list.length).toBe(128);
    expect(bytes.length).toBe(4 * 128);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    expect(list.map((_, index) => view.getFloat32(4 * index, true))).toEqual(list);
  });

  it("stores without a reply subject, and receives nothing", async () => {
    nats.publish(STORE, '{"type":"memory/store/req","entries":[{"key":"silent","content":1}]}');
    const request = '{"type":"memory/retrieve/req","keys":["silent"]}';
    const total = async () => (await sendBytes(nats, RETRIEVE, request)).message.total;
    await expect.poll(total).toBe(1);
  });
});
