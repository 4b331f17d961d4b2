import { describe, expect, it } from "vitest";
import { Mailbox } from "../src/nats/intake/mailbox.js";

const LIMITS = { countMax: 16, bytesMax: 1_000, senderCountMax: 4, senderBytesMax: 100 };

function mailboxOf(limits: Partial<typeof LIMITS> = {}) {
  type Message = { readonly subject: string; readonly payload: Uint8Array };
  const evicted: string[] = [];
  const mailbox = new Mailbox<Message>(2, { ...LIMITS, ...limits }, ({ subject }) => evicted.push(subject));
  const add = (subject: string, bytes = 1) => {
    const isAdded = mailbox.add(subject, bytes, () => ({ subject, payload: new Uint8Array(bytes) }));
    return isAdded ? evicted.pop() : "refused";
  };
  const takeAll = (take: () => { subject: string } | undefined) => {
    const subjects: string[] = [];
    for (let next = take(); next !== undefined; next = take()) subjects.push(next.subject);
    return subjects;
  };
  return { mailbox, add, takeAll };
}

describe("Mailbox", () => {
  it("keeps the order of one sender, and lets the senders take turns", () => {
    const { mailbox, add, takeAll } = mailboxOf();
    for (const subject of ["t.a.1", "t.a.2", "t.a.3", "t.b.1", "t.b.2", "t.c"]) add(subject);
    const taken = takeAll(() => mailbox.takeCalm());
    expect(taken).toEqual(["t.a.1", "t.b.1", "t.c", "t.a.2", "t.b.2", "t.a.3"]);
  });

  it("limits the number and bytes of one sender, but accepts one large message", () => {
    const { add } = mailboxOf();
    expect(["1", "2", "3", "4", "5"].map((name) => add(`t.a.${name}`)).at(-1)).toBe("refused");
    expect([add("t.b.1", 60), add("t.b.2", 41)]).toEqual([undefined, "refused"]);
    expect(add("t.c", 500)).toBeUndefined();
  });

  it("gives each of many senders an equal part, and always a place to one more", () => {
    const { add } = mailboxOf();
    const senders = Array.from({ length: 7 }, (_, at) => `t.s${at}`);
    for (let round = 0; round < 4; round++) for (const sender of senders) add(`${sender}.${round}`);
    expect([add("t.s0.9"), add("t.new")]).toEqual(["refused", undefined]);
  });

  it("evicts the newest message of an overflowing sender if a new sender has no other place", () => {
    const { add } = mailboxOf({ countMax: 4 });
    expect([1, 2, 3, 4].map((at) => add(`t.a.${at}`))).toEqual([undefined, undefined, undefined, undefined]);
    expect([add("t.a.5"), add("t.b", 9)]).toEqual(["refused", "t.a.4"]);
    expect(add("t.b.2")).toBe("refused");
  });

  it("takes the messages of an overflowing sender separately until half of them are left", () => {
    const { mailbox, add, takeAll } = mailboxOf();
    for (let at = 1; at <= 5; at++) add(`t.a.${at}`);
    add("t.b.1");
    expect(takeAll(() => mailbox.takeCalm())).toEqual(["t.b.1"]);
    expect(mailbox.hasOverflowing).toBe(true);
    expect(takeAll(() => mailbox.takeOverflowing())).toEqual(["t.a.1", "t.a.2"]);
    expect(takeAll(() => mailbox.takeCalm())).toEqual(["t.a.3", "t.a.4"]);
  });

  it("takes a subject with fewer tokens as its own sender", () => {
    const { mailbox, add } = mailboxOf();
    add("short");
    expect(mailbox.takeCalm()?.subject).toBe("short");
  });
});
