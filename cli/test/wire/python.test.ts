import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { installPython } from "./python.js";
import { Wire } from "./wire-fixture.js";

const AGENT = fileURLToPath(new URL("agent.py", import.meta.url));

const python = await installPython();
afterAll(() => python?.remove());

describe.each(NATS_SERVERS)("an agent in Python over %s", (binary) => {
  it.skipIf(python === undefined)(
    "receives JSON for JSON and MessagePack for MessagePack (needs python3 with pip, and its registry)",
    async () => {
      const wire = await Wire.start({ binary });
      try {
        const replies = JSON.parse(await python!.run(AGENT, wire.url)) as unknown[];
        const [json, packed] = ["application/json", "application/msgpack"];
        const found = { total: 1, entries: [{ content: { text: "Pythons lay eggs" }, source: "python" }] };
        expect(replies).toMatchObject([
          { content_type: json, message: { req_id: "python-1", receipts: [{ outcome: "created" }] } },
          { content_type: packed, message: { req_id: "python-3", receipts: [{ outcome: "unchanged" }] } },
          { content_type: json, message: { req_id: "python-2", ...found } },
          { content_type: packed, message: { req_id: "python-2", ...found } },
          { content_type: packed, message: { req_id: null, code: "parse_error" } },
        ]);
      } finally {
        await wire.close();
      }
    },
  );
});
