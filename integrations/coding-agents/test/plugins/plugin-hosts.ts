import { readFileSync } from "node:fs";
import { openClawPlugin } from "../../src/plugins/openclaw.js";
import { type OpenCodeHooks, openCodePlugin } from "../../src/plugins/opencode.js";
import { piExtension } from "../../src/plugins/pi.js";

/** Settings of a plugin. */
export interface PluginRun {
  readonly project: string;
  readonly command: [string, ...string[]];
}

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly synthetic?: boolean;
}

/** Reads events of the shape that the types of the package of an agent describe. */
function recorded<T>(name: string, changes: object = {}): T {
  const path = new URL(`./events/${name}.json`, import.meta.url);
  return { ...JSON.parse(readFileSync(path, "utf8")), ...changes } as T;
}

/** Calls the hooks of the plugin for OpenCode as its `Hooks` type describes. */
export class OpenCodeHost {
  readonly toasts: string[] = [];
  readonly #hooks: Promise<OpenCodeHooks>;

  constructor(run: PluginRun) {
    const showToast = async ({ body }: { body: { message: string } }) => this.toasts.push(body.message);
    const input = { directory: run.project, client: { tui: { showToast } } };
    this.#hooks = openCodePlugin(["none"]).server(input, { command: run.command });
  }

  async event(type: string, properties: object): Promise<void> {
    await (await this.#hooks).event({ event: { type, properties } });
  }

  /** Sends a message of the user. Returns its parts as the model gets them. */
  async message(sessionID: string, text: string): Promise<Part[]> {
    const output = recorded<{ message: { id: string }; parts: never[] }>("opencode-chat-message");
    const [part] = output.parts as object[];
    const parts = [{ ...part, sessionID, text }] as never[];
    await (await this.#hooks)["chat.message"]({ sessionID }, { ...output, parts });
    return parts;
  }

  async bash(sessionID: string, command: string, output: string, exit: number): Promise<void> {
    const input = {
      tool: "bash",
      sessionID,
      callID: "call_1",
      args: { command, description: "Runs a command" },
    };
    const result = { title: command, output, metadata: { output, exit, description: "Runs a command" } };
    await (await this.#hooks)["tool.execute.after"](input, result);
  }

  /** Reports a call of a tool of MCP, with the result as the server has sent it. */
  async mcpTool(sessionID: string): Promise<void> {
    const input = { tool: "docs_search", sessionID, callID: "call_2", args: { query: "pnpm" } };
    await (await this.#hooks)["tool.execute.after"](input, recorded("opencode-mcp-tool"));
  }

  /** Ends the turn of a session with a reply. */
  async reply(sessionID: string, text: string): Promise<void> {
    const input = { sessionID, messageID: "msg_2", partID: "prt_2" };
    await (await this.#hooks)["experimental.text.complete"](input, { text });
    await this.event("session.idle", { sessionID });
  }

  async compact(sessionID: string): Promise<void> {
    await (await this.#hooks)["experimental.session.compacting"]({ sessionID });
    await this.event("session.compacted", { sessionID });
  }
}

type Handler = (event: never, context: never) => unknown;

/** Calls the handlers of the extension for pi as its `ExtensionAPI` type describes. */
export class PiHost {
  readonly notices: string[] = [];
  readonly #handlers = new Map<string, Handler>();
  readonly #run: PluginRun;

  constructor(run: PluginRun) {
    this.#run = run;
    piExtension(run.command)({ on: (event, handler) => this.#handlers.set(event, handler) });
  }

  async emit(type: string, event: object = {}, session = "s-1"): Promise<unknown> {
    const context = {
      cwd: this.#run.project,
      hasUI: true,
      ui: { notify: (message: string) => this.notices.push(message) },
      sessionManager: { getSessionId: () => session },
    };
    return await this.#handlers.get(type)!({ type, ...event } as never, context as never);
  }

  /** Sends a prompt. Returns the text that the extension adds, or "". */
  async prompt(prompt: string, session?: string, source = "interactive"): Promise<string> {
    await this.emit("input", { text: prompt, source }, session);
    const result = await this.emit("before_agent_start", { messageType: "user", prompt }, session);
    return (result as { message: { content: string } } | undefined)?.message.content ?? "";
  }

  async bash(command: string, text: string, isError: boolean): Promise<void> {
    await this.emit(
      "tool_result",
      recorded("pi-tool-result", { input: { command }, content: [{ type: "text", text }], isError }),
    );
  }
}

interface Tool {
  readonly name: string;
  execute(id: string, input: object): Promise<object>;
}

/** Calls the plugin for OpenClaw as its `OpenClawPluginApi` type describes. */
export class OpenClawHost {
  readonly warnings: string[] = [];
  readonly guide: string[];
  readonly #handlers = new Map<string, Handler>();
  readonly #tools = new Map<string, (context: object) => Tool | null>();
  readonly #workspaceDir: string;

  constructor(run: PluginRun) {
    this.#workspaceDir = run.project;
    let guide: string[] = [];
    openClawPlugin(["none"]).register({
      pluginConfig: { command: run.command },
      logger: { warn: (message) => this.warnings.push(message) },
      on: (event, handler) => this.#handlers.set(event, handler),
      registerTool: (create, { name }) => this.#tools.set(name, create as never),
      registerMemoryCapability: ({ promptBuilder }) => {
        guide = promptBuilder({ availableTools: new Set(["memory_recall"]) });
      },
    });
    this.guide = guide;
  }

  get tools(): string[] {
    return [...this.#tools.keys()].sort();
  }

  #context(changes: object): object {
    return {
      ...{
        sessionId: "s-1",
        sessionKey: "agent:main:main",
        workspaceDir: this.#workspaceDir,
        trigger: "user",
      },
      ...changes,
    };
  }

  async emit(type: string, event: object, context: object = {}): Promise<unknown> {
    return await this.#handlers.get(type)!(event as never, this.#context(context) as never);
  }

  /** Sends a prompt. Returns the text that the plugin adds, or "". */
  async prompt(currentUserMessage: string, context: object = {}): Promise<string> {
    const event = recorded<object>("openclaw-before-prompt-build", { currentUserMessage });
    const result = await this.emit("before_prompt_build", event, context);
    return (result as { prependContext: string } | undefined)?.prependContext ?? "";
  }

  /** Returns the text of a tool, or undefined if the session does not have it. */
  async call(name: string, input: object, context: object = {}): Promise<string | undefined> {
    const tool = this.#tools.get(name)!(this.#context(context));
    if (tool === null) return undefined;
    const { content } = (await tool.execute("call_1", input)) as { content: { text: string }[] };
    return content[0]!.text;
  }
}
