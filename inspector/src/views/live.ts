import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import type { LiveEvent } from "../api.js";
import type { PageProps, View } from "../view.js";

function Page({ api, who }: PageProps) {
  const [events, setEvents] = useState<readonly LiveEvent[]>([]);
  useEffect(() => api.events((event) => setEvents((known) => [event, ...known].slice(0, 200))), [who]);
  return html`<ol>${events.map((event) => html`<li key=${event.revision}>${event.action} ${event.key_hash}</li>`)}</ol>`;
}

export const liveView: View = { path: "live", title: "Live", Page };
