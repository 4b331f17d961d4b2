import type { AgentMemory } from "@membus/agent-client";
import { type MemoryFile, MemoryFiles } from "@membus/agentic";
import { FileError, type FileSize } from "@membus/agentic/files";
import { type Clock, parseOptions, systemClock } from "@membus/protocol";
import { type CommandOf, type MemoryCommand, readCommand } from "./command.js";
import { insertInto, replaceIn } from "./edit-text.js";
import { withToolErrors } from "./file-failures.js";
import { type MemoryPath, memoryPath, parentPaths, shownPath } from "./memory-path.js";
import { MemoryToolError } from "./memory-tool-error.js";
import { type AnthropicMemoryOptions, AnthropicMemoryOptionsSchema } from "./memory-tool-options.js";
import { moveAll } from "./move-files.js";
import { shownChange, shownDirectory, shownFile } from "./shown-text.js";

/** A method for each command, in the form that `betaMemoryTool` of `@anthropic-ai/sdk` takes. */
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
 * Returns Anthropic's memory tool (`memory_20250818`) over membus: text files under `/memories`, shared by any number of
 * processes. Its results have the same texts as the results of the SDK's tool over a folder.
 *
 * An edit is made over the revision that was read, and retried at most `attemptsMax` times after a concurrent change. A directory
 * exists while a file is in or below it. A directory is renamed file by file: after a crash each file is at one of its two paths
 * or at both.
 *
 * The handlers reject with `MemoryToolError` for mistakes of the model, and with `MemoryError` for errors of the bus or the host.
 * The SDK passes both to the model.
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

/** Returns the `execute` function for `anthropic.tools.memory_20250818` of `@ai-sdk/anthropic`. Supports its abort signal. */
export function memoryToolExecute(
  memory: AgentMemory,
  options: AnthropicMemoryOptions = {},
  dependencies: MemoryToolDependencies = {},
): (command: MemoryCommand, call?: { readonly abortSignal?: AbortSignal | undefined }) => Promise<string> {
  const tool = new MemoryTool(memory, options, dependencies);
  return (command, { abortSignal } = {}) => tool.run(command, { signal: abortSignal });
}

class MemoryTool {
  readonly #files: MemoryFiles;
  readonly #bytesMax: number;

  constructor(memory: AgentMemory, options: AnthropicMemoryOptions, { clock }: MemoryToolDependencies) {
    const resolved = parseOptions(AnthropicMemoryOptionsSchema, options);
    this.#files = new MemoryFiles(memory, { ...resolved, layout: "flat" }, clock ?? systemClock);
    this.#bytesMax = resolved.fileBytesMax;
  }

  async run(input: unknown, call: Call = {}): Promise<string> {
    call.signal?.throwIfAborted();
    return withToolErrors(this.#run(readCommand(input), call), this.#bytesMax);
  }

  #run(command: MemoryCommand, call: Call): Promise<string> {
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
        return this.#delete(command, call);
      case "rename":
        return this.#rename(command, call);
    }
  }

  async #view(command: CommandOf<"view">, call: Call): Promise<string> {
    const path = memoryPath(command.path);
    const file = await this.#read(path, call);
    if (file !== undefined) return shownFile(file.text, command);
    const files = await this.#files.list(path.file, call);
    if (files.length === 0 && path.file !== "") throw noSuchPath(command.path);
    return shownDirectory(command.path, files.map(relativeTo(path)));
  }

  async #create({ path, file_text }: CommandOf<"create">, call: Call): Promise<string> {
    const { file } = memoryPath(path);
    await this.#checkParents(file, call);
    if (file === "" || (await this.#files.exists(file, call))) throw fileExists(path);
    try {
      await this.#files.write(file, file_text.toWellFormed(), call);
    } catch (error) {
      throw error instanceof FileError && error.code === "exists" ? fileExists(path) : error;
    }
    return `File created successfully at: ${path}`;
  }

  async #replace(command: CommandOf<"str_replace">, call: Call): Promise<string> {
    let line = 0;
    const { text } = await this.#edit(command.path, call, (before) => {
      const changed = replaceIn(before, command);
      line = changed.line;
      return changed.text;
    });
    return shownChange(text, line);
  }

  async #insert(command: CommandOf<"insert">, call: Call): Promise<string> {
    await this.#edit(command.path, call, (before) => insertInto(before, command));
    return `The file ${command.path} has been edited.`;
  }

  async #delete({ path }: CommandOf<"delete">, call: Call): Promise<string> {
    const { file } = memoryPath(path);
    if (file === "") throw new MemoryToolError("Cannot delete the /memories directory itself");
    const count = (await this.#files.remove(file, call)) + (await this.#files.remove(`${file}/`, call));
    if (count === 0) throw new MemoryToolError(`The path ${path} does not exist`);
    return `Successfully deleted ${path}`;
  }

  async #rename({ old_path, new_path }: CommandOf<"rename">, call: Call): Promise<string> {
    const [from, to] = [memoryPath(old_path), memoryPath(new_path)];
    if (from.file === "") throw new MemoryToolError("Cannot rename the /memories directory itself");
    if (to.file === "" || (await this.#files.exists(to.file, call))) {
      throw new MemoryToolError(`The destination ${new_path} already exists`);
    }
    await this.#checkParents(to.file, call);
    await moveAll(this.#files, from, to, call.signal);
    return `Successfully renamed ${old_path} to ${new_path}`;
  }

  async #read({ file }: MemoryPath, call: Call): Promise<MemoryFile | undefined> {
    return file === "" ? undefined : this.#files.read(file, call);
  }

  async #edit(path: string, call: Call, change: (before: string) => string): Promise<MemoryFile> {
    const { file, shown } = memoryPath(path);
    if (file === "") throw notAFile(shown);
    try {
      return await this.#files.update(file, (before) => change(before).toWellFormed(), call);
    } catch (error) {
      if (!(error instanceof FileError) || error.code !== "not_found") throw error;
      throw (await this.#files.exists(file, call)) ? notAFile(shown) : noSuchPath(shown);
    }
  }

  async #checkParents(file: string, call: Call): Promise<void> {
    const parent = await this.#files.findFile(parentPaths(file), call);
    if (parent !== undefined) throw new MemoryToolError(`The path ${shownPath(parent)} is not a directory.`);
  }
}

function relativeTo({ file }: MemoryPath): (listed: FileSize) => FileSize {
  return ({ path, bytes }) => ({ path: path.slice(file.length + 1), bytes });
}

function fileExists(path: string): MemoryToolError {
  return new MemoryToolError(`File ${path} already exists`);
}

function notAFile(path: string): MemoryToolError {
  return new MemoryToolError(`The path ${path} is not a file.`);
}

function noSuchPath(path: string): MemoryToolError {
  return new MemoryToolError(`The path ${path} does not exist. Please provide a valid path.`);
}
