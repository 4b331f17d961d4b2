import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { literal } from "../../agentic/test/learner-fixture.js";
import { requestOf } from "../../agentic/test/long-term-fixture.js";
import {
  type ReceivedChat,
  type ScriptedAnswer,
  ScriptedOpenAi,
} from "../../agentic/test/scripted-openai/index.js";
import { endChild, lineOf, resultOf } from "./run-cli.js";
import { RunningHost } from "./running-host.js";

const host = new RunningHost();
let server: ScriptedOpenAi;

/** Learns each user message, and answers with the memory of the cat in the last message. */
function script(request: ReceivedChat): ScriptedAnswer {
  if (requestOf(request).name !== "") return literal(request);
  const asked = String(request.body.messages.at(-1)!.content);
  const isQuestion = asked.endsWith("?");
  return { text: (isQuestion && /cat is called (\w+)/.exec(asked)?.[1]) || "I do not know" };
}

beforeAll(async () => {
  await host.start();
  server = await ScriptedOpenAi.start(script);
});
afterEach(() => server.play(script));
afterAll(async () => {
  await server.stop();
  await host.stop();
});

const flags = () => ["--model", "scripted", "--base-url", server.baseUrl];
const chat = (agent: string, lines: readonly string[], ...more: readonly string[]) =>
  host.cli(["chat", ...flags(), "--agent", agent, ...more], `${lines.join("\n")}\n`);

describe("membus chat", () => {
  it("remembers across restarts, and lists and forgets memories", async () => {
    const first = await chat("alice", ["The cat is called Tom", "I am tired", "/quit", "never said"]);
    expect(first).toMatchObject({ code: 0, stdout: "I do not know\nI do not know\n" });
    expect(first.stderr).toContain("  new  The cat is called Tom");

    await host.restart();
    const second = await chat("alice", [
      "What is my cat called?",
      "/why",
      "/memories",
      "/forget 99",
      "/forget tom",
    ]);
    expect(second.code).toBe(0);
    expect(second.stderr).toContain("continuing conversation chat with 4 messages");
    expect(second.stderr).toContain("  remembers: The cat is called Tom");
    const [answer, used, reasons] = second.stdout.split("\n");
    expect([answer, used]).toEqual(["Tom", "The cat is called Tom"]);
    expect(reasons).toMatch(/^ {4}score 0\.\d\d, fact from .*, source: user, learned in chat$/);
    expect(second.stdout).toMatch(/^\d\. The cat is called Tom {2}\(fact, \d{4}-\d\d-\d\d\)$/m);
    expect(second.stderr.match(/name a number from 1 to \d+/g)).toHaveLength(2);

    const number = /^(\d+)\. The cat is called Tom/m.exec((await chat("alice", ["/memories"])).stdout)![1]!;
    const third = await chat("alice", ["/memories", `/forget ${number}`, "/memories"]);
    expect(third.stdout).toContain("forgot: The cat is called Tom\n");
    expect(third.stdout.match(/\. The cat is called Tom/g)).toHaveLength(1);
  });

  it("reports failures, continues, and exits with 1", async () => {
    server.play((request) =>
      requestOf(request).name === "" ? { status: 401, message: "wrong key" } : literal(request),
    );
    const { code, stderr } = await chat("carl", ["Hello", "/nothing"], "--no-learn");
    expect(code).toBe(1);
    expect(stderr).toContain("failed: ");
    expect(stderr).toContain("unknown command /nothing");
    expect(server.requests).toHaveLength(1);
  });

  it("prints answers and memories as JSON lines", async () => {
    const { stdout } = await chat("dora", ["Hello"], "--json", "--no-learn");
    expect(JSON.parse(stdout)).toEqual({
      ...{ answer: "I do not know", memories: [], memory: "attached" },
    });
  });

  it("requires a model", async () => {
    const { code, stderr } = await host.cli(["chat", "--model", ""]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("--model or OPENAI_MODEL");
  });
});

describe("membus learn", () => {
  it("learns until it is interrupted, and prints the facts", async () => {
    const args = [
      "learn",
      ...flags(),
      "--agent",
      "bob",
      "--subject",
      "talk:{conversation}",
      "--debounce-ms",
      "0",
    ];
    const learn = host.spawn(args);
    const result = resultOf(learn);
    await lineOf(learn, /^learning from the conversations of bob/);
    const seen = lineOf(learn, / {2}new {2}The dog is called Rex/);
    await chat("bob", ["The dog is called Rex"], "--no-learn");
    await seen;
    await endChild(learn, "SIGINT");
    const { code, stdout } = await result;
    expect(code).toBe(0);
    expect(stdout).toContain("subject talk:chat");
    const again = await host.json([
      "retrieve",
      "dog",
      "--agent",
      "bob",
      "--tier",
      "episodic",
      "--namespace",
      "about/talk:chat",
    ]);
    expect(again).toMatchObject({ entries: [{ content: { text: "The dog is called Rex" } }] });
  });

  it("learns pending messages and exits with --once", async () => {
    await chat("erik", ["The dog is called Rex"], "--no-learn");
    const args = ["learn", ...flags(), "--agent", "erik", "--once"];
    expect((await host.cli(args)).stderr).toMatch(/^learned from 2 messages in 1 batches, 0 failed/m);
    expect((await host.cli(args)).stderr).toMatch(/^learned from 0 messages in 0 batches/m);
  });

  it("exits with 1 with --once if something failed, and counts its calls", async () => {
    await chat("hans", ["The dog is called Rex"], "--no-learn");
    const args = ["learn", ...flags(), "--agent", "hans", "--once", "--retry-ms", "1"];
    server.play(() => ({ text: "no JSON", usage: { inputTokens: 10, outputTokens: 5 } }));
    const failed = await host.cli(args);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(
      /^learned from 0 messages in 0 batches, 1 failed, 2 model calls, 30 tokens/m,
    );
    server.play(script);
    expect(await host.cli(args)).toMatchObject({ code: 0 });
  });

  it("sets aside messages that the model rejects, lists them and retries them", async () => {
    server.play((request) =>
      requestOf(request).prompt.includes("poison") ? { refusal: "I will not" } : literal(request),
    );
    const learn = (...more: readonly string[]) =>
      host.cli(["learn", ...flags(), "--agent", "fred", "--retry-ms", "1", "--fault-count", "1", ...more]);
    await chat("fred", ["The dog likes poison"], "--no-learn");
    const first = await learn("--once");
    expect(first.stdout).not.toContain("poison");
    expect(first.stderr).toMatch(/^set aside {2}chat {2}message \S+ \(seq \d+\) {2}.*I will not/m);
    expect(first.stderr).toMatch(/^1 messages are set aside: list them with --set-aside/m);
    expect((await learn("--set-aside", "--json")).stdout).toMatch(/"conversation":"chat".*"code":"refused"/);

    server.play(script);
    const again = await learn("--once", "--retry-set-aside");
    expect(again.stderr).toContain("retrying 1 messages");
    expect(again.stdout).toContain("  new  The dog likes poison");
    expect(await learn("--set-aside")).toMatchObject({ code: 0, stdout: "" });
  });

  it("consolidates facts, and shows the planned changes with --dry-run", async () => {
    server.play((request) => {
      if (requestOf(request).name !== "resolutions") return script(request);
      return { json: { decisions: [{ fact: 1, outcome: "superseded", by: 2 }] } };
    });
    await chat("gina", ["Tom lives in Rome"], "--no-learn");
    const subject = ["--subject", "talk:{conversation}"];
    const learn = (...more: readonly string[]) =>
      host.cli(["learn", ...flags(), "--agent", "gina", ...subject, ...more]);
    await learn("--once");
    await chat("gina", ["Tom lives in Oslo"], "--no-learn");
    await learn("--once");
    const text = /^subject talk:chat {2}\d queries, \d questions\n {2}superseded {2}.*\(by: /;
    expect((await learn("--consolidate", "--dry-run")).stdout).toMatch(text);
    const { stdout } = await learn("--consolidate");
    expect(stdout).toMatch(text);
    const [, id] = /--undo-consolidation (\S+)/.exec(stdout)!;
    const undone = await learn("--undo-consolidation", id!);
    expect(undone).toMatchObject({ code: 0, stdout: "subject talk:chat  1 facts restored\n" });
    expect((await learn("--consolidate", "--dry-run")).stdout).toMatch(text);
    expect((await learn("--dry-run")).stderr).toContain("--dry-run requires --consolidate");
  });
});
