import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { apiFor, type Choices } from "./api.js";
import { Chooser } from "./chooser.js";
import { Icon } from "./icon.js";
import { PaletteButton } from "./palette-button.js";
import { hrefOf, type Route, useRoute } from "./route.js";
import { SignIn } from "./sign-in.js";
import type { PageProps, View, Who } from "./view.js";
import { VIEWS } from "./views.js";

/** Renders the frame around the views: sign-in, navigation and agent selection. */
export function Shell(): VNode {
  const [choices, setChoices] = useState<Choices>();
  return choices === undefined
    ? html`<${SignIn} onEntered=${setChoices} />`
    : html`<${Inspector} choices=${choices} />`;
}

function Inspector({ choices }: { readonly choices: Choices }): VNode {
  const route = useRoute();
  const { tenant, agent } = whoOf(choices, route);
  const who = useMemo(() => ({ tenant, agent }), [tenant, agent]);
  const view = VIEWS.find(({ path }) => path === route.path) ?? VIEWS[0]!;
  return html`
    <a class="skip" href="#main" onClick=${skipToMain}>Skip to the content</a>
    <header>
      <p class="brand"><img src="/inspector.svg" alt="" width="20" height="20" /> membus</p>
      <${Chooser} choices=${choices} who=${who} route=${route} />
      <${PaletteButton} views=${VIEWS} who=${who} route=${route} mayChooseAgent=${!choices.fixed.agent} />
      <${Navigation} shown=${view} />
      <p class="mode quiet">${choices.edit ? "May edit and forget" : "Read-only"}</p>
    </header>
    <${Main} view=${view} who=${who} route=${route} edit=${choices.edit} />`;
}

/** Returns the tenant and agent of the address, as far as they may be chosen. */
function whoOf({ tenant, agent, fixed }: Choices, { params }: Route): Who {
  return {
    tenant: fixed.tenant ? tenant : (params.get("tenant") ?? tenant),
    agent: fixed.agent ? agent : (params.get("agent") ?? agent),
  };
}

function Navigation({ shown }: { readonly shown: View }): VNode {
  const link = (view: View) => {
    const current = view === shown ? "page" : undefined;
    return html`<li key=${view.path}><a href=${hrefOf(view.path)} aria-current=${current}>
      <${Icon} name=${view.path} />${view.title}</a></li>`;
  };
  return html`<nav aria-label="Views"><ul>${VIEWS.map(link)}</ul></nav>`;
}

function Main({ view, who, route, edit }: Omit<PageProps, "api"> & { readonly view: View }): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(view);
  const api = useMemo(() => apiFor(who), [who]);
  useEffect(() => {
    document.title = `${view.title} - membus`;
    // A screen reader announces the new view.
    if (before.current !== view) heading.current?.focus();
    before.current = view;
  }, [view]);
  return html`<main id="main" tabindex="-1" data-agent=${who.agent}>
    <h1 ref=${heading} tabindex="-1">${view.title}</h1>
    <${view.Page} key=${`${view.path} ${who.tenant} ${who.agent}`} api=${api} who=${who} route=${route} edit=${edit} />
  </main>`;
}

/** Moves the focus by script, because the hash of the address belongs to the route. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main")?.focus();
}
