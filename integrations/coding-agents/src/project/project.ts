import { hash } from "node:crypto";
import { basename, resolve } from "node:path";
import { encodeSegment } from "@membus/protocol/records";
import { findRepository } from "./git-remote.js";

/** Subject of memories that hold in all projects of the user. */
const USER_SUBJECT = "user";
const NAME_LENGTH_MAX = 32;

/** A subject of memories, and the namespace of its records (clause REC-8). */
export interface Subject {
  readonly name: string;
  readonly namespace: string;
}

export interface Project {
  /** Memories of this project, in every clone and worktree. */
  readonly subject: Subject;
  /** Memories of the user. */
  readonly user: Subject;
  /** Folder that paths are relative to. */
  readonly root: string;
}

/**
 * Returns the project of a folder. The URL of the git remote identifies it. Without a remote, the path of the
 * repository does, and without a repository, the path of the folder.
 */
export async function projectOf(folder: string): Promise<Project> {
  const repository = await findRepository(folder);
  const root = repository?.root ?? resolve(folder);
  const { home = root, remote } = repository ?? {};
  const identity = remote === undefined ? home : canonicalRemote(remote, home);
  const subject = `project:${uniqueName(basename(identity), identity)}`;
  return { subject: subjectOf(subject), user: subjectOf(USER_SUBJECT), root };
}

/** Returns the memory of a person on a messaging platform, in which projects make no difference. */
export function projectOfPerson(person: string, folder: string): Project {
  const subject = subjectOf(`${USER_SUBJECT}:${uniqueName(person, person)}`);
  return { subject, user: subject, root: resolve(folder) };
}

/** Returns the subjects of a project, each once. */
export function subjectsOf({ subject, user }: Project): Subject[] {
  return subject === user ? [user] : [subject, user];
}

function uniqueName(name: string, identity: string): string {
  const shown = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, NAME_LENGTH_MAX);
  return `${shown}-${hash("sha256", identity, "hex").slice(0, 8)}`;
}

function subjectOf(name: string): Subject {
  return { name, namespace: `about/${encodeSegment(name)}` };
}

/**
 * Returns `host/path` for all forms of a URL: ssh, https, with and without a user and `.git`. A remote on the same
 * machine becomes its path, which may be relative to the folder of the repository.
 */
export function canonicalRemote(url: string, home: string): string {
  const path = localPath(url);
  if (path !== undefined) return resolve(home, path).replace(/[/\\]?\.git$/, "");
  const withoutScheme = url.replace(/^[a-z+]+:\/\//i, "");
  const withoutUser = withoutScheme.slice(withoutScheme.split("/")[0]!.lastIndexOf("@") + 1);
  const named = withoutUser.replace(/^([^/:]+):(?:\d+\/)?/, "$1/");
  const trimmed = named.endsWith("/") ? named.slice(0, -1) : named;
  return trimmed.replace(/\.git$/, "").toLowerCase();
}

/** Returns the path of a remote on the same machine. As in git, other remotes have a colon before their first slash. */
function localPath(url: string): string | undefined {
  if (/^file:\/\//i.test(url)) return url.replace(/^file:\/\/[^/]*/i, "");
  return /^[a-z]:[/\\]/i.test(url) || !/^[^/]*:/.test(url) ? url : undefined;
}
