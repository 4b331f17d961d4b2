import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isReachable } from "../api.js";
import { after } from "../clock.js";
import { useLoaded } from "../loaded.js";
import { Failure } from "../notices.js";
import type { PageProps, View } from "../view.js";

/** Delay in milliseconds before loading is announced. */
const ANNOUNCE_AFTER_MS = 200;

/** Returns a view with large code that loads when the view is first opened. */
export function lazyView(
  path: string,
  title: string,
  load: () => Promise<{ readonly Page: View["Page"] }>,
): View {
  function Page(props: PageProps): VNode {
    const { value, failure } = useLoaded(load, []);
    if (value !== undefined) return html`<${value.Page} ...${props} />`;
    return failure === undefined
      ? html`<${Loading} title=${title} />`
      : html`<${NotLoaded} title=${title} />`;
  }
  return { path, title, Page };
}

/** Starts empty, because a screen reader announces changes of a status and not always its first text. */
function Loading({ title }: { readonly title: string }): VNode {
  const [isLong, setLong] = useState(false);
  useEffect(() => after(ANNOUNCE_AFTER_MS, () => setLong(true)), []);
  return html`<p class="quiet" role="status">${isLong ? `Loading ${title}` : ""}</p>`;
}

/**
 * Reloads the document, because browsers do not request a failed script again, and an upgrade renames
 * scripts.
 */
function NotLoaded({ title }: { readonly title: string }): VNode {
  const [failure, setFailure] = useState(
    new Error(`${title} could not be loaded: the gateway does not answer, or has been upgraded.`),
  );
  const reload = async () => {
    if (await isReachable()) location.reload();
    else setFailure(new Error(`${title} could not be loaded: the gateway does not answer.`));
  };
  return html`<${Failure} of=${failure} />
    <button type="button" onClick=${reload}>Try again</button>`;
}
