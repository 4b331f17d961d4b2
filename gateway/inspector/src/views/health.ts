import type { Health, HostHealth } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Api } from "../api.js";
import { after } from "../clock.js";
import { Empty, Failure } from "../notices.js";
import type { PageProps } from "../view.js";
import { Budgets } from "./health/budgets.js";
import { addSample, operationLines, processLine, SAMPLE_MS, tierLines } from "./health/health-samples.js";
import { HostList } from "./health/host-list.js";
import { HostTables } from "./health/host-tables.js";
import { Plot } from "./health/plot.js";
import { nameOf, unservedText } from "./host-figures.js";

const MIB = 1_048_576;

/** Shows the activity of the hosts. It samples while the page is open. */
export function Page({ api, who, route }: PageProps): VNode {
  const { samples, failure } = useSamples(api);
  const hosts = samples.at(-1)?.hosts ?? [];
  const chosen = route.params.get("host") ?? hosts[0]?.id;
  const host = hosts.find(({ id }) => id === chosen) ?? hosts[0];
  const unserved = unservedText(hosts);
  return html`<${Failure} of=${failure} />
    <${Budgets} api=${api} who=${who} />
    ${
      samples.length > 0 &&
      host === undefined &&
      html`<${Empty}>No host of this tenant answers. Start one with <code>membus up</code>. If a host is running, the NATS user of the gateway
        may not have permission for <code>$SRV.STATS.membus</code>.<//>`
    }
    ${
      host !== undefined &&
      html`${unserved !== undefined && html`<p role="status">In this cluster ${unserved}.</p>`}
      ${hosts.length > 1 && html`<${HostList} hosts=${hosts} href=${route.href} />`}
      ${host.id !== chosen && html`<p class="quiet" role="status">The chosen host does not answer. This is another one.</p>`}
      <${ShownHost} host=${host} />
      <${HostPlots} samples=${samples} host=${host} />
      <${HostTables} samples=${samples} host=${host} />`
    }`;
}

/** Reads a sample every two seconds while the page is open. */
function useSamples(api: Api): { readonly samples: readonly Health[]; readonly failure: Error | undefined } {
  const [samples, setSamples] = useState<readonly Health[]>([]);
  const [failure, setFailure] = useState<Error>();
  useEffect(() => {
    const closed = new AbortController();
    let cancel = () => {};
    const sample = async () => {
      const rested = new Promise<void>((resolve) => {
        cancel = after(SAMPLE_MS, resolve);
      });
      const latest = await api.get<Health>("health", {}, closed.signal).catch((error: Error) => error);
      if (closed.signal.aborted) return;
      if (latest instanceof Error) setFailure(latest);
      else {
        setFailure(undefined);
        setSamples((known) => addSample(known, latest));
      }
      await rested;
      void sample();
    };
    void sample();
    return () => {
      closed.abort();
      cancel();
    };
  }, [api]);
  return { samples, failure };
}

function ShownHost({ host }: { readonly host: HostHealth }): VNode {
  const { id, version, state, started } = host;
  return html`<p data-host=${id}>Host ${nameOf(host)}, version ${version}: <strong>${state}</strong>
      <span class="quiet"> since ${new Date(started).toLocaleString()}</span></p>`;
}

interface HostProps {
  readonly samples: readonly Health[];
  readonly host: HostHealth;
}

function HostPlots({ samples, host: { id } }: HostProps): VNode {
  const at = samples.map((sample) => sample.at);
  const backlog = tierLines(samples, id, "backlog_rows");
  const memory = { ...processLine(samples, id, "rss_bytes", MIB), label: "process" };
  const plot = (title: string, unit: string, lines: ReturnType<typeof tierLines>) =>
    html`<${Plot} key=${title} title=${title} unit=${unit} at=${at} lines=${lines} />`;
  return html`<h2>Last five minutes</h2><div class="plots">
    ${plot(
      "Requests",
      "per second",
      operationLines(samples, id, ({ requestsPerS }) => requestsPerS),
    )}
    ${plot(
      "Mean latency",
      "milliseconds",
      operationLines(samples, id, ({ meanMs }) => meanMs),
    )}
    ${plot("Waiting calls", "calls", tierLines(samples, id, "calls_waiting"))}
    ${backlog.length > 0 && plot("Backlog", "entries to flush", backlog)}
    ${plot("Memory", "MiB", [memory])}</div>`;
}
