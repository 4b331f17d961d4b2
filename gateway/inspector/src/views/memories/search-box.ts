import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Api } from "../../api.js";
import { now } from "../../clock.js";
import { useLoaded } from "../../loaded.js";
import { readQueryText } from "./query-text.js";
import { type Search, tagsOf, withTags } from "./search.js";

export interface SearchBoxProps {
  readonly api: Api;
  readonly search: Search;
  readonly hrefOf: (search: Search) => string;
}

interface Chip {
  readonly text: string;
  /** The search without the filter. */
  readonly without: Search;
}

interface Counts {
  readonly items: readonly { readonly value: string; readonly count: number }[];
}

const TIERS = ["working", "episodic", "semantic"];
const TAGS_SHOWN = 6;

/** One field for words and filters, the filters as chips that can be removed, and filters to add. */
export function SearchBox({ api, search, hrefOf }: SearchBoxProps): VNode {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget as HTMLFormElement).get("q"));
    location.hash = hrefOf(readQueryText(text, search, now()));
  };
  const chip = ({ text, without }: Chip) => html`<li key=${text}>
    <a class="chip on" href=${hrefOf(without)} aria-label=${`Remove the filter ${text}`}>${text} <span aria-hidden="true">×</span></a></li>`;
  const chips = chipsOf(search);
  return html`<form role="search" aria-label="Memories" class="search-box" onSubmit=${submit}>
      <label>Search, or filter with tier: tag: kind: since: until: session:
        <input name="q" type="search" maxlength="8192" defaultValue=${search.q ?? ""} autocomplete="off"
          placeholder="late trains tier:episodic tag:rail since:7d" /></label>
      <button>Search</button>
    </form>
    ${chips.length > 0 && html`<ul class="chips" aria-label="Active filters">${chips.map(chip)}</ul>`}
    <${Suggestions} api=${api} search=${search} hrefOf=${hrefOf} />`;
}

function chipsOf(search: Search): Chip[] {
  const single = (["tier", "kind", "session"] as const).flatMap((name) => {
    const value = search[name];
    return value ? [{ text: `${name}: ${value}`, without: { ...search, [name]: undefined } }] : [];
  });
  const times = (["since", "until"] as const).flatMap((name) => {
    const value = search[name];
    return value ? [{ text: `${name}: ${dateText(value)}`, without: { ...search, [name]: undefined } }] : [];
  });
  const tags = tagsOf(search);
  const ofTags = tags.map((tag) => ({
    text: `tag: ${tag}`,
    without: { ...search, ...withTags(tags.filter((other) => other !== tag)) },
  }));
  return [...single, ...ofTags, ...times];
}

function dateText(seconds: string): string {
  const date = new Date(Number(seconds) * 1_000);
  if (Number.isNaN(date.getTime())) return seconds;
  return new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }).format(date);
}

/** Offers tiers, and the most frequent tags of the namespace. */
function Suggestions({ api, search, hrefOf }: SearchBoxProps): VNode {
  const { namespace, tier, session } = search;
  const tags = useLoaded(
    (signal) => api.get<Counts>("tags", { namespace, tier, session }, signal),
    [namespace, tier, session],
  );
  const used = tagsOf(search);
  const tiers = tier ? [] : TIERS.map((name) => ({ text: `tier:${name}`, adds: { tier: name } }));
  const found = (tags.value?.items ?? []).filter(({ value }) => !used.includes(value)).slice(0, TAGS_SHOWN);
  const ofTags = found.map(({ value, count }) => ({
    text: `tag:${value}`,
    count,
    adds: withTags([...used, value]),
  }));
  const all: readonly { text: string; count?: number; adds: Partial<Search> }[] = [...tiers, ...ofTags];
  return html`<ul class="chips add" aria-label="Filters to add">${all.map(
    ({
      text,
      count,
      adds,
    }) => html`<li key=${text}><a class="chip" href=${hrefOf({ ...search, ...adds })}>${text}
      ${count !== undefined && html` <span class="count">${count}</span>`}</a></li>`,
  )}</ul>`;
}
