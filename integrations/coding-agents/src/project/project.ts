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
  const identity = repository?.remote === undefined ? root : canonicalRemote(repository.remote);
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

/** Returns `host/path` for all forms of a URL: ssh, https, with and without a user and `.git`. */
export function canonicalRemote(url: string): string {
  const withoutScheme = url.replace(/^[a-z+]+:\/\//i, "");
  const withoutUser = withoutScheme.slice(withoutScheme.split("/")[0]!.lastIndexOf("@") + 1);
  const path = withoutUser.replace(/^([^/:]+):(?:\d+\/)?/, "$1/");
  const trimmed = path.endsWith("/") ? path.slice(0, -1) : path;
  return trimmed.replace(/\.git$/, "").toLowerCase();
}
