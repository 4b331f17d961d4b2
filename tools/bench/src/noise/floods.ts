import { encodeMessage, type Message } from "@membus/protocol";

/** Message of a flood. */
export interface FloodMessage {
  /** Subject below the prefix and tenant. */
  readonly subject: string;
  readonly payload: Uint8Array;
}

/** Messages of a flood. Their sender publishes them in turns without waiting for replies. */
export interface Flood {
  message(at: number): FloodMessage;
  /** Messages between two confirmations of the server. */
  readonly flushEvery: number;
}

type Content = string | object;

const SMALL_FLUSH_EVERY = 256;
/** Entries of one message. Together they have almost 1 MB, and each is below the limit of an entry. */
const LARGE_ENTRIES = 4;
const TEXT_LENGTH = 248_000;
/** Different messages of a flood of large messages. Building them does not slow down their sender. */
const LARGE_MESSAGES = 8;

function store(agent: string, id: string, contents: readonly Content[]): FloodMessage {
  const entries = contents.map((content, at): Message => ({ key: `${id}-${at}`, content, tier: "episodic" }));
  const message: Message = { type: "memory/store/req", id: `${agent}-${id}`, entries };
  return { subject: `${agent}.memory.store.req`, payload: encodeMessage(message, "json") };
}

function large(contentOf: (seed: number) => Content): Flood {
  const messages = Array.from({ length: LARGE_MESSAGES }, (_, id) => {
    const contents = Array.from({ length: LARGE_ENTRIES }, (_, at) => contentOf(id * LARGE_ENTRIES + at));
    return store("flooder", `large${id}`, contents);
  });
  return { message: (at) => messages[at % LARGE_MESSAGES]!, flushEvery: LARGE_MESSAGES };
}

function agents(count: number): Flood {
  return {
    message: (at) => store(`flooder${at % count}`, `note${at % 10_000}`, [`note ${at} of a busy agent`]),
    flushEvery: SMALL_FLUSH_EVERY,
  };
}

/** Stores, each in a separate namespace. */
function namespaces(): Flood {
  const message = (at: number): FloodMessage => {
    const entries = [{ key: "note", content: `note ${at}`, tier: "episodic" }];
    const fields: Message = {
      type: "memory/store/req",
      id: `flooder-${at}`,
      namespace: `flood/${at}`,
      entries,
    };
    return { subject: "flooder.memory.store.req", payload: encodeMessage(fields, "json") };
  };
  return { message, flushEvery: SMALL_FLUSH_EVERY };
}

function retrieves(): Flood {
  const message = (at: number): FloodMessage => {
    const fields = {
      type: "memory/retrieve/req",
      id: `flooder-${at}`,
      keys: ["note"],
      tier: "working",
    } as const;
    return { subject: "flooder.memory.retrieve.req", payload: encodeMessage(fields, "json") };
  };
  return { message, flushEvery: SMALL_FLUSH_EVERY };
}

function manyWords(seed: number): string {
  const words: string[] = [];
  for (let length = 0, at = 0; length < TEXT_LENGTH; at++) {
    const word = (at * 7_919 + seed * 104_729).toString(36);
    words.push(word);
    length += word.length + 1;
  }
  return words.join(" ");
}

/** Returns about 200 KB of lists in objects, almost as many as one message may have. */
function nested(seed: number): object {
  const item = (at: number) => ({ a: [seed, [at, { b: "lorem ipsum dolor sit amet" }]] });
  return { list: Array.from({ length: 10 }, () => Array.from({ length: 440 }, (_, at) => item(at))) };
}

export const FLOODS: Readonly<Record<string, () => Flood>> = {
  "large-stores": () => large((seed) => `${seed} ${"lorem ipsum ".repeat(TEXT_LENGTH / 12)}`),
  "many-words": () => large(manyWords),
  "nested-json": () => large(nested),
  "64-agents": () => agents(64),
  "5000-agents": () => agents(5_000),
  namespaces,
  retrieves,
};
