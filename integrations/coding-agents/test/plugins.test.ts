import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { AgentName } from "../src/index.js";
import { HookStage } from "./hook-stage.js";
import { HookRelay } from "./plugins/hook-relay.js";
import { OpenClawHost, OpenCodeHost, PiHost, type PluginRun } from "./plugins/plugin-hosts.js";

const PNPM = "Always use pnpm in this repository.";
const FIX = "`pnpm tset` failed: ERR_PNPM_NO_SCRIPT Missing script: tset - `pnpm test` worked.";
const ERROR = "ERR_PNPM_NO_SCRIPT Missing script: tset";

const stage = new HookStage().register();
const relays: HookRelay[] = [];
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()));
});

/** Starts a command that answers the hooks of an agent. */
async function start(agent: AgentName): Promise<PluginRun> {
  const relay = new HookRelay(agent, { folder: join(stage.folder, "state"), withMemory: stage.withMemory });
  relays.push(relay);
  return { project: join(stage.folder, "project"), command: await relay.start() };
}

describe("the plugin for OpenCode", () => {
  it("keeps statements, fixes and conclusions, and adds them to a later message", async () => {
    const opencode = new OpenCodeHost(await start("opencode"));
    expect(await opencode.message("ses_1", PNPM)).toHaveLength(1);
    await opencode.bash("ses_1", "pnpm tset", ERROR, 1);
    await opencode.bash("ses_1", "pnpm test", "12 passed", 0);
    await opencode.reply("ses_1", "Root cause: a typo in the name of the script.");
    const [context, message] = await opencode.message("ses_2", "Which command runs pnpm tset?");
    expect(message).toMatchObject({ type: "text", text: "Which command runs pnpm tset?" });
    expect(context).toMatchObject({ type: "text", synthetic: true, messageID: "msg_21ebb8800001" });
    expect(context!.text).toContain(`opencode, said by the user) ${PNPM}`);
    expect(context!.text).toContain("written by the agent) Root cause: a typo in the name of the script.");
    expect(context!.text).toContain(FIX);
    expect(opencode.toasts).toEqual([]);
  });

  it("does not fail a tool of MCP", async () => {
    const opencode = new OpenCodeHost(await start("opencode"));
    await opencode.message("ses_1", PNPM);
    await opencode.mcpTool("ses_1");
    expect(opencode.toasts).toEqual([]);
  });

  it("shows memories again after the context was compacted", async () => {
    const opencode = new OpenCodeHost(await start("opencode"));
    await opencode.message("ses_1", PNPM);
    expect(await opencode.message("ses_1", "Which one, pnpm or npm?")).toHaveLength(1);
    await opencode.compact("ses_1");
    const [context] = await opencode.message("ses_1", "Go on.");
    expect(context!.text).toContain(PNPM);
  });

  it("takes the prompt of a subagent for no statement of the user", async () => {
    const opencode = new OpenCodeHost(await start("opencode"));
    await opencode.event("session.created", { info: { id: "ses_2", parentID: "ses_1" } });
    await opencode.message("ses_2", PNPM);
    expect(await opencode.message("ses_3", "Which one, pnpm or npm?")).toHaveLength(1);
  });

  it("shows a notice while no host answers", async () => {
    stage.isDown = true;
    const opencode = new OpenCodeHost(await start("opencode"));
    const [context] = await opencode.message("ses_1", PNPM);
    expect(context!.text).toContain("membus: memory is degraded");
    expect(opencode.toasts[0]).toContain("membus: memory is degraded");
  });
});

describe("the extension for pi", () => {
  it("keeps statements, fixes and conclusions, and adds them to a later prompt", async () => {
    const pi = new PiHost(await start("pi"));
    await pi.emit("session_start", { reason: "startup" });
    expect(await pi.prompt(PNPM)).toBe("");
    await pi.bash("pnpm tset", `${ERROR}\n\nCommand exited with code 1`, true);
    await pi.bash("pnpm test", "12 passed", false);
    const content = [{ type: "text", text: "Convention: one test file for each module." }];
    await pi.emit("agent_end", {
      messages: [
        { role: "user", content: PNPM },
        { role: "assistant", content },
      ],
    });
    await pi.emit("session_shutdown", { reason: "quit" });
    const text = await pi.prompt("Which command runs pnpm tset?", "s-2");
    expect(text).toContain(`pi, said by the user) ${PNPM}`);
    expect(text).toContain("written by the agent) Convention: one test file for each module.");
    expect(text).toContain(FIX);
  });

  it("learns nothing from a prompt of an extension, or from a command that the user stopped", async () => {
    const pi = new PiHost(await start("pi"));
    await pi.prompt(PNPM, "s-1", "extension");
    await pi.bash("pnpm tset", `${ERROR}\n\nCommand aborted`, true);
    await pi.bash("pnpm test", "12 passed", false);
    expect(await pi.prompt("Which command runs pnpm tset?", "s-2")).toBe("");
  });

  it("takes a template of prompts for no statement of the user", async () => {
    const pi = new PiHost(await start("pi"));
    await pi.emit("input", { text: "/setup", source: "interactive" });
    await pi.emit("before_agent_start", { messageType: "user", prompt: PNPM });
    expect(await pi.prompt("Which one, pnpm or npm?", "s-2")).toBe("");
  });

  it("adds nothing to a message of another extension", async () => {
    const pi = new PiHost(await start("pi"));
    await pi.prompt(PNPM);
    expect(
      await pi.emit("before_agent_start", { messageType: "custom", message: {} }, "s-2"),
    ).toBeUndefined();
  });

  it("shows memories again after the context was compacted", async () => {
    const pi = new PiHost(await start("pi"));
    await pi.prompt(PNPM);
    expect(await pi.prompt("Which one, pnpm or npm?")).toBe("");
    await pi.emit("session_before_compact");
    await pi.emit("session_compact");
    expect(await pi.prompt("Go on.")).toContain(PNPM);
  });

  it("shows a notice while no host answers", async () => {
    stage.isDown = true;
    const pi = new PiHost(await start("pi"));
    expect(await pi.prompt(PNPM)).toContain("membus: memory is degraded");
    expect(pi.notices[0]).toContain("membus: memory is degraded");
  });
});

describe("the plugin for the memory slot of OpenClaw", () => {
  it("keeps statements, fixes and conclusions, and adds them to a later prompt", async () => {
    const openclaw = new OpenClawHost(await start("openclaw"));
    expect(await openclaw.prompt(PNPM)).toBe("");
    const exec = { toolName: "exec", runId: "r-1", toolCallId: "call_1" };
    const failed = {
      content: [{ type: "text", text: ERROR }],
      details: { status: "completed", exitCode: 1 },
    };
    const done = { content: [{ type: "text", text: "ok" }], details: { status: "completed", exitCode: 0 } };
    await openclaw.emit("after_tool_call", { ...exec, params: { command: "pnpm tset" }, result: failed });
    await openclaw.emit("after_tool_call", { ...exec, params: { command: "pnpm test" }, result: done });
    const messages = [{ role: "assistant", content: "Decision: tests run with pnpm." }];
    await openclaw.emit("agent_end", { success: true, messages });
    await openclaw.emit("session_end", { sessionId: "s-1", messageCount: 2, reason: "new" });
    const text = await openclaw.prompt("Which command runs pnpm tset?", { sessionId: "s-2" });
    expect(text).toContain(`openclaw, said by the user) ${PNPM}`);
    expect(text).toContain("written by the agent) Decision: tests run with pnpm.");
    expect(text).toContain(FIX);
    expect(text).not.toContain("yarn");
  });

  it("has tools that store, recall and forget a note", async () => {
    const openclaw = new OpenClawHost(await start("openclaw"));
    expect(openclaw.tools).toEqual(["memory_forget", "memory_recall", "memory_store"]);
    expect(openclaw.guide.join("\n")).toContain("Call memory_recall with a topic");
    expect(await openclaw.call("memory_recall", { query: "builds" })).toBe("No notes fit.");
    expect(await openclaw.call("memory_store", { text: "Builds need Node 22." })).toBe("Kept.");
    const found = await openclaw.call("memory_recall", { query: "builds Node" });
    const [, id] = /\[memory:([0-9a-f]{8})\].*Builds need Node 22\./.exec(found!)!;
    expect(await openclaw.call("memory_forget", { id })).toBe("Forgotten.");
    expect(await openclaw.call("memory_recall", { query: "builds Node" })).toBe("No notes fit.");
    expect(await openclaw.call("memory_forget", { id: "all" })).toContain(
      "membus: unknown id: Invalid string",
    );
  });

  it("keeps and shows nothing in a conversation of several people", async () => {
    const openclaw = new OpenClawHost(await start("openclaw"));
    await openclaw.prompt(PNPM);
    const group = { sessionId: "s-2", sessionKey: "agent:main:discord:channel:7" };
    expect(await openclaw.prompt("Which one, pnpm or npm?", group)).toBe("");
    expect(await openclaw.call("memory_recall", { query: "pnpm" }, group)).toBeUndefined();
    await openclaw.prompt("Always deploy on Fridays.", group);
    expect(await openclaw.call("memory_recall", { query: "deploy" })).toBe("No notes fit.");
  });

  it.each([undefined, "agent:main:subagent:6f1c"])("has no memory in the session %s", async (sessionKey) => {
    const openclaw = new OpenClawHost(await start("openclaw"));
    await openclaw.prompt(PNPM);
    const other = { sessionId: "s-2", sessionKey };
    expect(await openclaw.prompt("Which one, pnpm or npm?", other)).toBe("");
    expect(await openclaw.call("memory_recall", { query: "pnpm" }, other)).toBeUndefined();
  });

  it("keeps the notes of a person with a separate session apart", async () => {
    const openclaw = new OpenClawHost(await start("openclaw"));
    const person = { sessionId: "s-2", sessionKey: "agent:main:telegram:direct:42" };
    await openclaw.prompt(PNPM, person);
    expect(await openclaw.call("memory_recall", { query: "pnpm" })).toBe("No notes fit.");
    expect(await openclaw.call("memory_recall", { query: "pnpm" }, person)).toContain(PNPM);
  });

  it.each([
    { trigger: "heartbeat" },
    { trigger: "cron" },
    { trigger: "user", inputProvenance: { kind: "inter_session" } },
  ])("takes a prompt with %j for no statement of the user", async (context) => {
    const openclaw = new OpenClawHost(await start("openclaw"));
    await openclaw.prompt(PNPM, context);
    expect(await openclaw.call("memory_recall", { query: "pnpm" })).toBe("No notes fit.");
  });

  it("logs a notice while no host answers", async () => {
    stage.isDown = true;
    const openclaw = new OpenClawHost(await start("openclaw"));
    expect(await openclaw.prompt(PNPM)).toContain("membus: memory is degraded");
    expect(openclaw.warnings[0]).toContain("membus: memory is degraded");
  });
});
