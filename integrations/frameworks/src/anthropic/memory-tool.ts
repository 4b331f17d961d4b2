import { type AgentMemory, pauseAfterConflict } from "@membus/agent-client";
import { type Clock, systemClock } from "@membus/protocol";
import { type CommandOf, type MemoryCommand, readCommand } from "./command.js";
import { insertInto, replaceIn } from "./edit-text.js";
import { type KeptFile, MemoryDirectory } from "./memory-directory.js";
import { type MemoryPath, memoryPath } from "./memory-path.js";
import { MemoryToolError } from "./memory-tool-error.js";
import { type AnthropicMemoryOptions, resolveAnthropicMemoryOptions } from "./memory-tool-options.js";
import { moveAll } from "./move-files.js";
import { shownChange, shownDirectory, shownFile } from "./shown-text.js";

/** A method for each command, as `betaMemoryTool` of `@anthropic-ai/sdk` takes them. */
export type MemoryToolHandlers = {
  readonly [Name in MemoryCommand["command"]]: (command: Omit<CommandOf<Name>, "command">) => Promise<string>;
};

export interface MemoryToolDependencies {
  /** @default systemClock */
  readonly clock?: Clock | undefined;
}

interface Call {
  readonly signal?: AbortSignal | undefined;
}

/**
 * The memory tool of Anthropic (`memory_20250818`) over membus: texts under `/memories`, for any number of processes at once. What
 * it answers is what the SDK's tool over a folder does, word for word.
 *
 * An edit is made over the revision that was read, and again where another was faster, at most `attemptsMax` times. A directory
 * is there while a file is in or below it. One that is renamed is moved file by file: a process that is killed at it leaves each
 * at one of its paths, or at both.
 *
 * @returns handlers that reject with `MemoryToolError` for what the model did wrong, and `MemoryError` for what the bus or the
 * host reports: the SDK tells the model of both.
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function memoryToolHandlers(
  memory: AgentMemory,
  options: AnthropicMemoryOptions = {},
  dependencies: MemoryToolDependencies = {},
): MemoryToolHandlers {
  const tool = new MemoryTool(memory, options, dependencies);
  const handler = (name: MemoryCommand["command"]) => (input: object) =>
    tool.run({ ...input, command: name });
  return {
    view: handler("view"),
    create: handler("create"),
    str_replace: handler("str_replace"),
    insert: handler("insert"),
    delete: handler("delete"),
    rename: handler("rename"),
  };
}

/** The same as `execute` of `anthropic.tools.memory_20250818` of `@ai-sdk/anthropic`, which passes a signal on. */
export function memoryToolExecute(
  memory: AgentMemory,
  options: AnthropicMemoryOptions = {},
  dependencies: MemoryToolDependencies = {},
): (command: MemoryCommand, call?: { readonly abortSignal?: AbortSignal | undefined }) => Promise<string> {
  const tool = new MemoryTool(memory, options, dependencies);
  return (command, { abortSignal } = {}) => tool.run(command, { signal: abortSignal });
}

class MemoryTool {
  readonly #files: MemoryDirectory;

  constructor(memory: AgentMemory, options: AnthropicMemoryOptions, { clock }: MemoryToolDependencies) {
    this.#files = new MemoryDirectory(memory, resolveAnthropicMemoryOptions(options), clock ?? systemClock);
  }

  async run(input: unknown, call: Call = {}): Promise<string> {
    call.signal?.throwIfAborted();
    const command = readCommand(input);
    switch (command.command) {
      case "view":
        return this.#view(command, call);
      case "create":
        return this.#create(command, call);
      case "str_replace":
        return this.#replace(command, call);
      case "insert":
        return this.#insert(command, call);
      case "delete":
        return this.#delete(command);
      case "rename":
        return this.#rename(command, call);
    }
  }

  async #view(command: CommandOf<"view">, { signal }: Call): Promise<string> {
    const { key } = memoryPath(command.path);
    const file = key === "" ? undefined : await this.#files.read(key, signal);
    if (file !== undefined) return shownFile(file.text, command);
    const files = await this.#files.list(key, signal);
    if (files.length === 0 && key !== "") throw noSuchPath(command.path);
    return shownDirectory(command.path, files);
  }

  async #create({ path, file_text }: CommandOf<"create">, { signal }: Call): Promise<string> {
    const { key } = memoryPath(path);
    await this.#checkParents(key, signal);
    const file = { key, text: file_text.toWellFormed(), revision: 0, entry: undefined };
    if ((await this.#files.has(key, signal)) || !(await this.#files.write(file))) {
      throw new MemoryToolError(`File ${path} already exists`);
    }
    return `File created successfully at: ${path}`;
  }

  async #replace(command: CommandOf<"str_replace">, call: Call): Promise<string> {
    const { text, line } = await this.#edit(command.path, call, (before) => replaceIn(before, command));
    return shownChange(text, line);
  }

  async #insert(command: CommandOf<"insert">, call: Call): Promise<string> {
    await this.#edit(command.path, call, (before) => ({ text: insertInto(before, command) }));
    return `The file ${command.path} has been edited.`;
  }

  async #delete({ path }: CommandOf<"delete">): Promise<string> {
    const { key } = memoryPath(path);
    if (key === "") throw new MemoryToolError("Cannot delete the /memories directory itself");
    if ((await this.#files.forget(key)) === 0) throw new MemoryToolError(`The path ${path} does not exist`);
    return `Successfully deleted ${path}`;
  }

  async #rename({ old_path, new_path }: CommandOf<"rename">, { signal }: Call): Promise<string> {
    const [from, to] = [memoryPath(old_path), memoryPath(new_path)];
    if (from.key === "") throw new MemoryToolError("Cannot rename the /memories directory itself");
    if (await this.#files.has(to.key, signal)) {
      throw new MemoryToolError(`The destination ${new_path} already exists`);
    }
    await this.#checkParents(to.key, signal);
    await moveAll(this.#files, from, to, signal);
    return `Successfully renamed ${old_path} to ${new_path}`;
  }

  /** What `change` makes of the text that is there when it is stored. */
  async #edit<Change extends { readonly text: string }>(
    path: string,
    { signal }: Call,
    change: (before: string) => Change,
  ): Promise<Change> {
    const { clock, options } = this.#files;
    for (let attempt = 1; attempt <= options.attemptsMax; attempt++) {
      const file = await this.#existing(memoryPath(path), signal);
      const changed = change(file.text);
      if (await this.#files.write({ ...file, text: changed.text.toWellFormed() })) return changed;
      await pauseAfterConflict(attempt, clock);
    }
    throw new MemoryToolError(`The path ${path} is being changed by others. Please try again.`);
  }

  async #existing({ key, shown }: MemoryPath, signal: AbortSignal | undefined): Promise<KeptFile> {
    const file = key === "" ? undefined : await this.#files.read(key, signal);
    if (file !== undefined) return file;
    if (await this.#files.has(key, signal)) throw new MemoryToolError(`The path ${shown} is not a file.`);
    throw noSuchPath(shown);
  }

  async #checkParents(key: string, signal: AbortSignal | undefined): Promise<void> {
    const file = await this.#files.fileAbove(key, signal);
    if (file !== undefined) throw new MemoryToolError(`The path /memories/${file} is not a directory.`);
  }
}

function noSuchPath(path: string): MemoryToolError {
  return new MemoryToolError(`The path ${path} does not exist. Please provide a valid path.`);
}
