import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { projectOf } from "../src/index.js";
import { canonicalRemote } from "../src/project/index.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "membus-project-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Creates a repository with a remote. */
function repository(name: string, url?: string): string {
  const root = join(folder, name);
  mkdirSync(join(root, ".git"), { recursive: true });
  mkdirSync(join(root, "src/deep"), { recursive: true });
  const remote = url === undefined ? "" : `[remote "origin"]\n\turl = ${url}\n`;
  writeFileSync(join(root, ".git/config"), `[core]\n\tbare = false\n${remote}`);
  return root;
}

it.each([
  ["git@github.com:acme/shop.git"],
  ["https://github.com/acme/shop"],
  ["https://ada:secret@GitHub.com/acme/shop.git/"],
  ["ssh://git@github.com:22/acme/shop.git"],
])("reads %s as the same remote", (url) => {
  expect(canonicalRemote(url, "/home/ada/shop")).toBe("github.com/acme/shop");
});

it.each([
  ["../origin/Shop.git", "/home/ada/origin/Shop"],
  ["/srv/git/shop.git/", "/srv/git/shop"],
  ["file:///srv/git/shop", "/srv/git/shop"],
  ["other/.git", "/home/ada/shop/other"],
])("reads %s as a path on the same machine", (url, path) => {
  expect(canonicalRemote(url, "/home/ada/shop")).toBe(path);
});

it("separates repositories with the same relative remote in other folders", async () => {
  const one = await projectOf(repository("x/app", "../shop.git"));
  const other = await projectOf(repository("y/app", "../shop.git"));
  expect(one.subject.name).toMatch(/^project:shop-[0-9a-f]{8}$/);
  expect(other.subject.name).not.toBe(one.subject.name);
});

it("gives two clones of a remote one memory, in every folder", async () => {
  const one = repository("one", "git@github.com:acme/shop.git");
  const other = repository("other", "https://github.com/acme/shop");
  const { subject, user, root } = await projectOf(join(one, "src/deep"));
  expect(subject).toEqual({ name: "project:shop-c566806a", namespace: "about/project:shop-c566806a" });
  expect(user).toEqual({ name: "user", namespace: "about/user" });
  expect(root).toBe(one);
  expect((await projectOf(other)).subject).toEqual(subject);
});

it("gives repositories without a remote separate memories", async () => {
  const one = await projectOf(repository("a/app"));
  const other = await projectOf(repository("b/app"));
  expect(one.subject.name).toMatch(/^project:app-[0-9a-f]{8}$/);
  expect(other.subject.name).not.toBe(one.subject.name);
});

/** Creates a worktree of a repository. */
function worktreeOf(gitFolder: string, name: string): string {
  mkdirSync(join(gitFolder, "worktrees", name), { recursive: true });
  writeFileSync(join(gitFolder, "worktrees", name, "commondir"), "../..\n");
  const worktree = join(folder, name);
  mkdirSync(worktree);
  writeFileSync(join(worktree, ".git"), `gitdir: ${join(gitFolder, "worktrees", name)}\n`);
  return worktree;
}

it("gives a worktree the memory of its repository, and its own paths", async () => {
  const root = repository("main");
  const worktree = worktreeOf(join(root, ".git"), "fix");
  const { subject } = await projectOf(root);
  expect(await projectOf(worktree)).toMatchObject({ subject, root: worktree });
});

it("gives worktrees of a bare repository one memory, and other repositories beside it another", async () => {
  const names = [];
  for (const name of ["one", "two"]) {
    for (const tree of ["a", "b"]) {
      const worktree = worktreeOf(join(folder, `${name}.git`), `${name}-${tree}`);
      names.push((await projectOf(worktree)).subject.name);
    }
  }
  expect(names[1]).toBe(names[0]);
  expect(names[3]).toBe(names[2]);
  expect(names[2]).not.toBe(names[0]);
});

it("uses the path of a folder without a repository", async () => {
  const plain = join(folder, "plain folder");
  mkdirSync(plain);
  expect((await projectOf(plain)).subject.name).toMatch(/^project:plain-folder-[0-9a-f]{8}$/);
});
