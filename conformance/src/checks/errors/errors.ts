import { ERROR_CATALOGUE, type ErrorCode, isMemoryError, type Message } from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { HostContext, WireReply } from "../../context.js";
import {
  accepted,
  answer,
  forEachOf,
  listOf,
  type Operation,
  oneOfEach,
  recordOf,
  refused,
  request,
} from "../../fixtures/bare-messages.js";
import { pending } from "../../fixtures/pending.js";
import { RAW, rawJson } from "../../fixtures/raw-values.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { undeclaredIn } from "../../fixtures/undeclared.js";
import { errorsOrderChecks } from "./errors-order.js";
import { errorsOfRepliesChecks } from "./errors-replies.js";

/** Returns a request for each error code that every host can return. */
function refusedRequests(t: HostContext): readonly (readonly [ErrorCode, Operation, Message | string])[] {
  const valid = oneOfEach(t);
  return [
    ["parse_error", "ping", '{"type":"ping"'],
    ["invalid_message", "store", request(t, "retrieve")],
    ["version_mismatch", "retrieve", request(t, "retrieve", { version: "2.0" })],
    ["schema_violation", "retrieve", request(t, "retrieve", { limit: -1 })],
    ["schema_violation", "forget", request(t, "forget", { tags: [] })],
    ["too_large", "retrieve", request(t, "retrieve", { query: "q".repeat(8_193) })],
    ["unsupported", "ping", request(t, "ping", { requires: ["conformance_time_travel"] })],
    ["unsupported", "status", request(t, "status", { ...valid.status, kind: "conformance" })],
    ["memory_not_found", "status", request(t, "status", valid.status)],
  ];
}

function wellFormed(t: HostContext, error: Message, code: ErrorCode, what: string): void {
  t.expect.equal(error.code, code, `code of ${what}`);
  const message = error.message;
  t.expect.holds(typeof message === "string" && message !== "", `message of ${what}`, message, "a text");
  const detail = error.detail;
  const isObject = typeof detail === "object" && detail !== null && !Array.isArray(detail);
  t.expect.holds(isObject, `detail of ${what}`, detail, "an object");
  const nested = Object.values(recordOf(detail)).filter(
    (value) => value === null || typeof value === "object",
  );
  t.expect.equal(nested, [], `values in the detail of ${what} other than texts, numbers and booleans`);
  t.expect.equal(error.retryable, ERROR_CATALOGUE[code].retryable, `retryable of ${what}, code ${code}`);
}

/** Entries and expected errors of `errors/of-entries-have-the-same-form`. The path starts at the entry. */
const BAD_ENTRIES: readonly { readonly index: number; readonly code: ErrorCode; readonly detail: Message }[] =
  [
    { index: 0, code: "schema_violation", detail: { path: "tags" } },
    { index: 1, code: "too_large", detail: { max: 4_096, got: 4_097 } },
    { index: 2, code: "schema_violation", detail: { path: "content" } },
    { index: 3, code: "conflict", detail: {} },
    { index: 5, code: "schema_violation", detail: { path: "" } },
  ];

const formChecks: readonly Check[] = [
  hostCheck({
    id: "errors/replies-name-code-message-detail-retryable",
    clauses: ["ERR-1", "ERR-2", "ERR-6"],
    async run(t) {
      for (const [code, operation, sent] of refusedRequests(t)) {
        const what = `the error to ${described(operation, sent)}`;
        const { message } = await answer(t, what, operation, sent);
        t.expect.equal(message.type, "error", `type of the reply to ${described(operation, sent)}`);
        wellFormed(t, message, code, what);
        t.expect.equal(message.capability_name, "memory", `capability_name of ${what}`);
      }
    },
  }),
  hostCheck({
    id: "errors/of-entries-have-the-same-form",
    clauses: ["ERR-1", "ERR-2", "ERR-4"],
    async run(t) {
      const same = t.entry();
      const entries = [
        { ...t.entry(), tags: "no list" },
        { ...t.entry(), source: "s".repeat(4_097) },
        { key: t.entry().key, tier: t.tier },
        same,
        { ...same, content: "another" },
        5,
      ];
      const sent = request(t, "store", { entries });
      const { errors } = await accepted(t, "a store of five bad entries and a good one", "store", sent);
      const found = listOf(errors);
      t.expect.equal(
        found.map(({ index }) => index),
        BAD_ENTRIES.map(({ index }) => index),
        "indexes of the errors of a store of five bad entries and a good one at 4",
      );
      for (const [at, { index, code, detail }] of BAD_ENTRIES.entries()) {
        wellFormed(t, found[at]!, code, `the error of entry ${index}`);
        const got = recordOf(found[at]!.detail);
        t.expect.equal({ ...got, ...detail }, got, `detail of the error of entry ${index}`);
      }
    },
  }),
  hostCheck({
    id: "errors/nats-headers-show-the-error",
    clauses: ["ERR-7"],
    async run(t) {
      for (const [code, operation, sent] of refusedRequests(t)) {
        const what = `the error to ${described(operation, sent)}`;
        const { headers } = await answer(t, what, operation, sent);
        const number = String(ERROR_CATALOGUE[code].header);
        t.expect.equal(
          headers["Nats-Service-Error-Code"],
          number,
          `header Nats-Service-Error-Code of ${what}`,
        );
        const text = headers["Nats-Service-Error"];
        t.expect.holds(
          text !== undefined && text.trim() !== "",
          `header Nats-Service-Error of ${what}`,
          text,
          "a text",
        );
      }
      const { headers } = await answer(t, "a ping", "ping", request(t, "ping"));
      t.expect.equal(
        headers["Nats-Service-Error-Code"],
        undefined,
        "header Nats-Service-Error-Code of a pong",
      );
    },
  }),
  hostCheck({
    id: "errors/schema-violation-names-its-path",
    clauses: ["ERR-4"],
    async run(t) {
      for (const [path, operation, fields] of PATHS) {
        const what = `a ${operation} with ${JSON.stringify(fields)}`;
        const sent = request(t, operation, { tier: t.tier, ...fields });
        const { detail } = await refused(t, what, operation, sent, "schema_violation");
        t.expect.equal(detail.path, path, `detail.path of the error to ${what}`);
      }
      const proto = '{"type":"ping","__proto__":{}}';
      const { detail } = await refused(t, proto, "ping", proto, "schema_violation");
      t.expect.equal(detail.path, "", `detail.path of the error to ${proto}, which is invalid as a whole`);
    },
  }),
];

const PATHS: readonly (readonly [path: string, Operation, fields: Message])[] = [
  ["limit", "retrieve", { limit: "10" }],
  ["keys[1]", "retrieve", { keys: ["a", 5] }],
  ["tags[2]", "forget", { tags: ["a", "b", 7] }],
  ["include[1]", "retrieve", { include: ["context", "history"] }],
  ["where.any[1].op", "retrieve", { where: { any: [leaf("eq"), leaf("like")] } }],
  ["where.not.all[0].field", "forget", { where: { not: { all: [{ ...leaf("eq"), field: "content" }] } } }],
  ["where.value[1]", "retrieve", { where: { field: "tags", op: "in", value: ["a", ["b"]] } }],
  ["colour", "forget", { tags: ["a"], colour: "red" }],
];

function leaf(op: string) {
  return { field: "tags", op, value: "a" };
}

function described(operation: Operation, sent: Message | string): string {
  return `${JSON.stringify(sent).slice(0, 120)} on the subject of a ${operation}`;
}

/** Patterns of internal details, such as stack traces, which error messages must not contain. */
const INSIDE =
  /(^|\s)at .{1,500}:\d+:\d+|node:internal|node_modules|Traceback|\.(ts|js|py|go|rs):\d+|panicked at|\n/;

const insideChecks: readonly Check[] = [
  hostCheck({
    id: "errors/bad-input-is-no-runtime-error",
    clauses: ["ERR-3", "ERR-2"],
    async run(t) {
      await forEachOf(strangeRequests(t), async (sent) => {
        const operation = String(sent.type).split("/")[1] as Operation;
        const what = JSON.stringify(sent).slice(0, 200);
        const { message } = await answer(t, what, operation, sent);
        const errors = message.type === "error" ? [message] : listOf(message.errors);
        t.expect.atLeast(errors.length, 1, `errors in the reply to ${what}`);
        for (const { code } of errors) {
          t.expect.holds(Object.hasOwn(ERROR_CATALOGUE, String(code)), `code of the error to ${what}`, code);
          t.expect.notEqual(code, "runtime_error", `code of the error to ${what}`);
        }
      });
      await accepted(t, "an ordinary ping", "ping", request(t, "ping"));
    },
  }),
  hostCheck({
    id: "errors/tell-nothing-of-the-inside",
    clauses: ["ERR-3"],
    async run(t) {
      const broken = refusedRequests(t).map(([, operation, sent]) => [operation, sent] as const);
      const strange = strangeRequests(t).map(
        (sent) => [String(sent.type).split("/")[1] as Operation, sent] as const,
      );
      await forEachOf([...broken, ...strange], async ([operation, sent]) => {
        const { message } = await answer(t, described(operation, sent), operation, sent);
        const errors = message.type === "error" ? [message] : listOf(message.errors);
        t.expect.atLeast(errors.length, 1, `errors in the reply to ${described(operation, sent)}`);
        const text = JSON.stringify([message.message, message.detail, message.errors]).replaceAll(
          "\\n",
          "\n",
        );
        t.expect.holds(
          !INSIDE.test(text),
          `the error to ${described(operation, sent)}`,
          text,
          "no stack trace or file path",
        );
        const extra = ["stack", "cause", "trace", "exception"].filter((name) => name in message);
        t.expect.equal(
          extra,
          [],
          `fields of the error to ${described(operation, sent)} that reveal its cause`,
        );
      });
      await accepted(t, "an ordinary ping", "ping", request(t, "ping"));
    },
  }),
];

/** Returns values of types that break code without type checks. */
function strangeRequests(t: HostContext): readonly Message[] {
  const strange = [5, true, "text", [1], { a: 1 }, [[]], [null], { length: -1 }];
  const retrieves = strange.flatMap((value) =>
    ["keys", "match", "tags", "where", "limit", "cursor", "order", "include", "since", "embedding"].map(
      (name) => request(t, "retrieve", { [name]: value }),
    ),
  );
  const fine = new Set(['"limit":5', '"match":{"a":1}', '"match":{"length":-1}', '"since":5']);
  const isFine = (sent: Message) => [...fine].some((text) => JSON.stringify(sent).includes(text));
  const entries = strange.map((value) =>
    request(t, "store", { entries: [{ key: value, content: 1, tags: value, tier: value }] }),
  );
  return [...retrieves.filter((sent) => !isFine(sent)), ...entries];
}

const requestIdCheck = hostCheck({
  id: "errors/req-id-of-broken-messages",
  clauses: ["ERR-5"],
  async run(t) {
    const raw = (text: string) => {
      const id = newRequestId();
      return { id, sent: rawJson({ type: "ping", id, x_raw: RAW }, text) };
    };
    for (const [what, text] of [
      ["a field __proto__", '{"__proto__":1}'],
      ["an unpaired surrogate", '"\\ud800"'],
      ["an integer of 2^60", "1152921504606846976"],
      ["70 levels", `${"[".repeat(70)}${"]".repeat(70)}`],
    ] as const) {
      const { id, sent } = raw(text);
      const { req_id } = await refused(t, `a ping with ${what}`, "ping", sent, [
        "schema_violation",
        "too_large",
      ]);
      t.expect.equal(req_id, id, `req_id of the error to a ping with ${what}`);
    }
    for (const [what, sent] of [
      ["no type", { id: newRequestId() }],
      ["another type", request(t, "store")],
      ["another version", request(t, "ping", { version: "3.1" })],
      ["an unknown field", request(t, "ping", { colour: "red" })],
    ] as const) {
      const { message } = await answer(t, `a message with ${what}`, "ping", sent);
      t.expect.equal(message.type, "error", `type of the reply to a message with ${what}`);
      t.expect.equal(message.req_id, sent.id, `req_id of the error to a message with ${what}`);
    }
    for (const text of [
      "",
      '{"type":"ping","id":"a"',
      '[{"id":"a"}]',
      '{"type":"ping","id":7}',
      '{"id":""}',
      "null",
    ]) {
      const { message } = await answer(t, `the bytes ${text}`, "ping", text);
      t.expect.equal(message.type, "error", `type of the reply to the bytes ${text}`);
      t.expect.equal(message.req_id, null, `req_id of the error to the unreadable bytes ${text}`);
    }
  },
});

const OVERLOAD_COUNT = 300;
/** Time for a reply behind that many requests, also on a busy machine. */
const FLOOD_REPLY_MS = 15_000;

const overloadCheck = hostCheck({
  id: "errors/overloaded-tells-when-to-retry",
  clauses: ["ERR-9", "ERR-10"],
  async run(t) {
    const agent = `conformance-busy-${t.random.hex(8)}`;
    const asked = { tier: t.tier, query: "busy" };
    const isOffered = undeclaredIn(asked, t.features) === undefined;
    const ask = async (): Promise<WireReply | string> => {
      const sent = request(t, "retrieve", { ...asked, deadline_ms: FLOOD_REPLY_MS });
      return t.send("retrieve", sent, { agent, timeoutMs: FLOOD_REPLY_MS }).catch((error: unknown) => {
        if (isMemoryError(error)) return error.message;
        throw error;
      });
    };
    const replies = await Promise.all(Array.from({ length: OVERLOAD_COUNT }, ask));
    for (const reply of replies) {
      const what = `the reply to one of ${OVERLOAD_COUNT} retrieves of one agent at once`;
      t.expect.holds(typeof reply !== "string", what, reply, "one");
      const { message } = reply as WireReply;
      const isBusy = message.code === "overloaded";
      t.expect.holds(
        isBusy ||
          (message.type === "memory/retrieve/resp" && message.total === 0) ||
          (message.code === "unsupported" && !isOffered),
        what,
        message,
        `an empty page or an error overloaded${isOffered ? "" : " or unsupported"}`,
      );
      const wait = recordOf(message.detail).retry_after_ms;
      t.expect.holds(
        !isBusy || Number(wait) > 0,
        "detail.retry_after_ms of an error overloaded",
        message,
        "milliseconds",
      );
    }
  },
});

const NEIGHBOURS = 4;

const neighboursCheck = hostCheck({
  id: "errors/flood-of-one-agent-refuses-no-other",
  clauses: ["ERR-14", "ERR-10"],
  async run(t) {
    const [busy, ...others] = Array.from({ length: 1 + NEIGHBOURS }, () => `conformance-${t.random.hex(8)}`);
    const patience = { timeoutMs: FLOOD_REPLY_MS };
    const flood = Array.from({ length: OVERLOAD_COUNT }, () =>
      pending(t.send("retrieve", request(t, "retrieve", { tier: t.tier }), { agent: busy!, ...patience })),
    );
    const asked = others.flatMap((agent) =>
      (["ping", "retrieve"] as const).map((operation) => ({ agent, operation })),
    );
    const replies = await Promise.all(
      asked.map(async ({ agent, operation }) => {
        const what = `a ${operation} of an agent while another one has ${OVERLOAD_COUNT} pending retrieves`;
        const sent = request(t, operation, operation === "ping" ? {} : { tier: t.tier });
        return { what, ...(await answer(t, what, operation, sent, { agent, ...patience })) };
      }),
    );
    await Promise.allSettled(flood);
    for (const { what, message } of replies) {
      const expected = "its reply, and no error";
      t.expect.holds(message.type !== "error", `the reply to ${what}`, message, expected);
    }
  },
});

export const errorsChecks: readonly Check[] = [
  ...formChecks,
  ...insideChecks,
  requestIdCheck,
  overloadCheck,
  neighboursCheck,
  ...errorsOfRepliesChecks,
  ...errorsOrderChecks,
];
