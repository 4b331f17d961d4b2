import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Api } from "../../api.js";
import { useLoaded } from "../../loaded.js";
import type { Search } from "./search.js";

export interface FiltersProps {
  readonly api: Api;
  readonly search: Search;
  readonly onSearch: (changes: Partial<Search>) => void;
}

interface TagCounts {
  readonly items: readonly { readonly value: string; readonly count: number }[];
}

const TIERS = ["working", "episodic", "semantic"];

export function Filters({ api, search, onSearch }: FiltersProps): VNode {
  const { namespace, tier, session } = search;
  const tags = useLoaded(
    (signal) => api.get<TagCounts>("tags", { namespace, tier, session }, signal),
    [namespace, tier, session],
  );
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSearch(searchOf(new FormData(event.currentTarget as HTMLFormElement)));
  };
  return html`<form role="search" aria-label="Memories" onSubmit=${submit}>
    <label>Search <input name="q" type="search" maxlength="8192" defaultValue=${search.q ?? ""} /></label>
    <label>Namespace <input name="namespace" required defaultValue=${namespace} /></label>
    <label>Tier <select name="tier">
      <option value="" selected=${!tier}>all</option>
      ${TIERS.map((name) => html`<option key=${name} value=${name} selected=${name === tier}>${name}</option>`)}
    </select></label>
    <label>Tags, separated by commas
      <input name="tags" list="tags" defaultValue=${tagsOf(search.tags).join(", ")} autocomplete="off" /></label>
    <datalist id="tags">${tags.value?.items.map(({ value }) => html`<option key=${value} value=${value} />`)}</datalist>
    <label>From <input name="since" type="datetime-local" defaultValue=${localOf(search.since)} /></label>
    <label>Until <input name="until" type="datetime-local" defaultValue=${localOf(search.until)} /></label>
    <label>Session <input name="session" maxlength="128" defaultValue=${session ?? ""} placeholder="for the working tier" /></label>
    <button>Search</button>
  </form>`;
}

function searchOf(fields: FormData): Search {
  const field = (name: string) => String(fields.get(name) ?? "").trim();
  const tags = field("tags")
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
  return {
    q: field("q"),
    namespace: field("namespace"),
    tier: field("tier"),
    tags: tags.length === 0 ? "" : JSON.stringify(tags),
    since: secondsOf(field("since")),
    until: secondsOf(field("until")),
    session: field("session"),
  };
}

/** Parses tags of an address, which the user may have edited. */
function tagsOf(text: string | undefined): string[] {
  try {
    const tags: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(tags) ? tags.map(String) : [];
  } catch {
    return [];
  }
}

function secondsOf(local: string): string {
  return local === "" ? "" : String(new Date(local).getTime() / 1_000);
}

/** Returns the local time to the minute, as a `datetime-local` field expects it. */
function localOf(seconds: string | undefined): string {
  const date = new Date(Number(seconds ?? Number.NaN) * 1_000);
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
