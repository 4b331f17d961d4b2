import { decodeMessage, type Message } from "@membus/protocol";
import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { hostMutant, type Mutant } from "../mutant.js";
import {
  intercept,
  interceptReplies,
  refuseRequests,
  rewriteBytes,
  rewriteRawRequests,
  rewriteReplies,
  rewriteReplyHeaders,
} from "./intercept.js";
import { readingEntries } from "./rewrite-entries.js";

const isPacked = ({ headers }: BusMessage) => headers["Content-Type"] === "application/msgpack";

function withHeader(message: BusMessage, type: string | undefined): BusMessage {
  const { "Content-Type": _, ...others } = message.headers;
  return { ...message, headers: type === undefined ? others : { ...others, "Content-Type": type } };
}

/** Returns the first readable variant of a MessagePack message, or the original bytes. */
function repaired(message: BusMessage, attempts: Iterable<Uint8Array>): BusMessage {
  if (!isPacked(message) || isReadable(message.payload)) return message;
  for (const payload of attempts) if (isReadable(payload)) return { ...message, payload };
  return message;
}

function isReadable(payload: Uint8Array): boolean {
  return decodeMessage(payload, { contentType: "application/msgpack" }).ok;
}

function* filledUp({ payload }: BusMessage): Iterable<Uint8Array> {
  for (let nils = 1; nils < 10; nils++) yield Buffer.concat([payload, Buffer.alloc(nils, 0xc0)]);
}

const choiceMutants: readonly Mutant[] = [
  hostMutant({
    id: "encoding-header-ignored",
    defect: "the header Content-Type is ignored, and only the first byte counts",
    check: "encoding/content-type-decides",
    names: /a ping in JSON under the header Content-Type: application\/msgpack/,
    bus: (bus) => rewriteRawRequests(bus, (message) => withHeader(message, undefined)),
  }),
  hostMutant({
    id: "encoding-json-unless-named",
    defect: "a message without a header is always treated as JSON",
    check: "encoding/first-byte-decides-without-a-header",
    names: /a ping as a MessagePack map of few fields/,
    bus: (bus) =>
      rewriteRawRequests(bus, (message) =>
        message.headers["Content-Type"]?.startsWith("application/")
          ? message
          : withHeader(message, "application/json"),
      ),
  }),
  hostMutant({
    id: "encoding-reply-without-content-type",
    defect: "a pong does not name its encoding",
    check: "encoding/reply-is-in-the-encoding-of-the-request",
    names: /header Content-Type of the reply to a ping/,
    bus: (bus) =>
      rewriteReplyHeaders(bus, (headers, { message }) => (message.type === "pong" ? {} : headers)),
  }),
  hostMutant({
    id: "encoding-errors-in-json",
    defect: "errors are always sent in JSON",
    check: "encoding/error-is-in-the-encoding-of-the-request",
    names: /bytes of the reply to .* in MessagePack/,
    bus: (bus) =>
      interceptReplies(bus, (reply, send) => {
        const headers = { ...reply.headers, "Content-Type": "application/json" };
        send(reply.message.type === "error" ? { ...reply, encoding: "json", headers } : reply);
      }),
  }),
];

const parserMutants: readonly Mutant[] = [
  hostMutant({
    id: "encoding-comments-in-json",
    defect: "comments in JSON are skipped",
    check: "encoding/malformed-json-refused",
    names: /JSON with a comment/,
    bus: (bus) => rewriteBytes(bus, (text) => text.replace(/\/\* now \*\//, "")),
  }),
  hostMutant({
    id: "encoding-truncated-filled-with-nil",
    defect: "missing bytes at the end of MessagePack are read as nil",
    check: "encoding/truncated-messagepack-refused",
    names: /the first \d+ of \d+ bytes of a store/,
    bus: (bus) => rewriteRawRequests(bus, (message) => repaired(message, filledUp(message))),
  }),
  hostMutant({
    id: "encoding-bytes-behind-ignored",
    defect: "bytes after a MessagePack message are ignored",
    check: "encoding/bytes-behind-messagepack-refused",
    names: /a store in MessagePack followed by the byte \d+/,
    bus: (bus) =>
      rewriteRawRequests(bus, (message) =>
        repaired(message, [message.payload.subarray(0, message.payload.length - 1)]),
      ),
  }),
  hostMutant({
    id: "encoding-lenient-strings",
    defect: "strings of MessagePack that are not UTF-8 are repaired",
    check: "encoding/messagepack-strings-are-utf-8",
    names: /a store in MessagePack with a lone continuation byte in content/,
    bus: (bus) =>
      rewriteBytes(bus, (text, message) => (isPacked(message) ? text.replace("\xa2a\x80", "\xa2a?") : text)),
  }),
  hostMutant({
    id: "encoding-no-float32",
    defect: "floats of 32 bits are not read",
    check: "encoding/other-spellings-accepted",
    names: /x_raw of the bytes 202 63/,
    bus: (bus) =>
      refuseRequests(bus, (_, message) => {
        const hasFloat =
          isPacked(message) && Buffer.from(message.payload).includes(Buffer.of(0xca, 0x3f, 0, 0, 0));
        return hasFloat ? "parse_error" : undefined;
      }),
  }),
];

/** Replaces text that must be refused with valid text. */
function replacing(pattern: RegExp, by: string): (bus: Bus) => Bus {
  return (bus) => rewriteBytes(bus, (text) => text.replace(pattern, by));
}

/** Replaces bytes in hex notation. */
function replacingBytes(from: string, by: string): (bus: Bus) => Bus {
  const [found, put] = [from, by].map((hex) => Buffer.from(hex, "hex").toString("latin1"));
  return (bus) => rewriteBytes(bus, (text) => text.replace(found!, put!));
}

const valueMutants: readonly Mutant[] = [
  hostMutant({
    id: "encoding-packed-infinity-accepted",
    defect: "infinity as a float of 32 bits is read as nil",
    check: "encoding/not-a-number-refused",
    names: /a store in MessagePack with the bytes ca7f800000 in content/,
    bus: replacingBytes("ca7f800000", "c0"),
  }),
  hostMutant({
    id: "encoding-great-integers-rounded",
    defect: "integers beyond 2^53 are rounded to a double",
    check: "encoding/integers-beyond-2-53-refused",
    names: /a store in JSON with 9007199254740992 in content/,
    bus: replacing(/(900719925474099[2-9]|12345678901234567890)(?!e)/, "9007199254740991"),
  }),
  hostMutant({
    id: "encoding-great-doubles-without-exponent",
    defect: "doubles beyond 2^53 are written in JSON like integers",
    check: "encoding/values-survive-both-encodings",
    names: /great doubles\[1\] is an integer beyond/,
    bus: (bus) =>
      intercept(bus, {
        publish(sent, publish) {
          if (sent.payload[0] !== 0x7b) return publish(sent);
          const text = Buffer.from(sent.payload).toString("utf8");
          const written = text.replace(/(?<=[[,]-?\d+)e(\d+)(?=[,\]])/g, (_, zeros) =>
            "0".repeat(Number(zeros)),
          );
          publish({ ...sent, payload: Buffer.from(written, "utf8") });
        },
      }),
  }),
  hostMutant({
    id: "encoding-lone-surrogates-replaced",
    defect: "an unpaired surrogate becomes the replacement character",
    check: "encoding/lone-surrogates-refused",
    names: /a store in JSON with "\\+ud800" in content/,
    bus: replacing(/"\\ud800"/, '"\\ufffd"'),
  }),
  hostMutant({
    id: "encoding-lone-surrogates-in-groups",
    defect: "a lone surrogate in the group of an entry becomes the replacement character",
    check: "encoding/lone-surrogates-refused-in-every-text",
    names: /as the group of an entry/,
    bus: replacing(/("group":"a)\\udc00b"/, '$1\\ufffdb"'),
  }),
  hostMutant({
    id: "encoding-escaped-proto-accepted",
    defect: "a field __proto__ that is written with an escape is not noticed",
    check: "encoding/proto-fields-refused",
    names: /\\+u005f_proto__/,
    bus: replacing(/"\\u005f_proto__"/, '"proto"'),
  }),
  hostMutant({
    id: "encoding-number-as-map-key",
    defect: "map keys that are numbers become strings",
    check: "encoding/messagepack-only-values-refused",
    names: /a store in MessagePack with the bytes 810102 in content/,
    bus: replacingBytes("810102", "81a13102"),
  }),
  hostMutant({
    id: "encoding-texts-normalised",
    defect: "texts in content are normalised to Unicode's composed form",
    check: "encoding/values-survive-both-encodings",
    names: /field "text" of content/,
    bus: readingEntries((entry) => ({ ...entry, content: composed(entry.content) })),
  }),
];

function composed(content: unknown): unknown {
  const text = JSON.stringify(content);
  return text === undefined ? content : JSON.parse(text.normalize("NFC"));
}

function swapped(vector: Float32Array): Float32Array {
  const bytes = Buffer.from(Float32Array.from(vector).buffer);
  return new Float32Array(Uint8Array.from(bytes.swap32()).buffer);
}

function withVectors(message: Message, change: (vector: Float32Array) => unknown): Message {
  if (!Array.isArray(message.entries)) return message;
  const changed = (entry: Message) =>
    entry.embedding instanceof Float32Array ? { ...entry, embedding: change(entry.embedding) } : entry;
  return { ...message, entries: message.entries.map(changed) };
}

const vectorMutants: readonly Mutant[] = [
  hostMutant({
    id: "encoding-vectors-big-endian",
    defect: "vectors in MessagePack are sent in network byte order",
    check: "encoding/vectors-are-float32-in-messagepack-and-lists-in-json",
    names: /component 0 of a vector stored in json and retrieved in msgpack, little-endian/,
    bus: (bus) =>
      rewriteReplies(bus, (message, { encoding }) =>
        encoding === "msgpack" ? withVectors(message, swapped) : message,
      ),
  }),
  hostMutant({
    id: "encoding-vectors-as-lists",
    defect: "vectors are lists in MessagePack too",
    check: "encoding/vectors-are-float32-in-messagepack-and-lists-in-json",
    names: /a vector in MessagePack/,
    bus: (bus) =>
      rewriteReplies(bus, (message, { encoding }) =>
        encoding === "msgpack" ? withVectors(message, (vector) => Array.from(vector)) : message,
      ),
  }),
  hostMutant({
    id: "encoding-no-lists-for-vectors",
    defect: "a vector in MessagePack must be binary",
    check: "encoding/vector-as-list-in-messagepack",
    names: /a store in MessagePack with a vector as a list/,
    bus: (bus) =>
      refuseRequests(bus, (fields, message) => {
        const [entry] = Array.isArray(fields?.entries) ? fields.entries : [];
        return isPacked(message) && Array.isArray(entry?.embedding) ? "schema_violation" : undefined;
      }),
  }),
  hostMutant({
    id: "encoding-great-components-cut",
    defect: "components of a vector beyond the bound are cut to it",
    check: "encoding/vector-components-are-bounded",
    names: /a store in JSON of a vector with the first component 9005000000000000/,
    bus: replacing(/\[9005000000000000,/, "[1,"),
  }),
];

export const encodingMutants: readonly Mutant[] = [
  ...choiceMutants,
  ...parserMutants,
  ...valueMutants,
  ...vectorMutants,
];
