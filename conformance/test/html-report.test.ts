import { describe, expect, it } from "vitest";
import { htmlReport } from "../src/report/html-report.js";
import { SAMPLE_REPORT } from "./sample-report.js";

const html = htmlReport(SAMPLE_REPORT);

describe("the page", () => {
  it("says the verdict, the scores and the implementation", () => {
    expect(html).toContain("<h1>./p&lt;1&gt;.js</h1>");
    expect(html).toContain('<p class="verdict">Not conformant: 2 MUST failed');
    expect(html).toContain('<p class="must"><strong>1</strong> of 4 MUST</p>');
    expect(html).toContain("<h3>shared 1.0</h3><p>not claimed</p>");
  });

  it("shows a red check with its clauses, the expected and actual value, the calls and the command that repeats it", () => {
    const article = html.match(/<article id="check-retrieve-limit-is-upper-bound">[\s\S]*?<\/article>/)![0];
    expect(article).toContain("RET-1 MUST Criteria, <code>min_score</code> and expiry");
    expect(article).toContain("<dt>checked</dt><dd>total of a &lt;retrieve&gt;</dd>");
    expect(article).toContain("<dt>expected</dt><dd>5 &amp; no less</dd>");
    expect(article).toContain("<dt>got</dt><dd>3</dd>");
    expect(article).toContain("{&quot;limit&quot;:3}");
    expect(article).toContain(
      "<pre>npx membus-conformance plugin ./p.js --only retrieve/limit-is-upper-bound --seed 7</pre>",
    );
  });

  it("shows the shrunk program of a generated check in place of its calls", () => {
    const article = html.match(/<article id="check-model-[\s\S]*?<\/article>/)![0];
    expect(article).toContain("await replayOnPlugin(plugin, [");
    expect(article).not.toContain("the last calls");
    expect(article).toContain("Known by the baseline: fixed in 2.0");
  });

  it("has a row for each clause, with the worst of its checks, or why there is none", () => {
    const rows = html.match(/<tr><th scope="row">.*?<\/tr>/g)!;
    const row = (id: string) => rows.find((text) => text.includes(`>${id}</th>`))!;
    expect(row("RET-1")).toContain('<span class="badge suite-error">');
    expect(row("RET-1")).toContain(
      '<a href="#check-retrieve-limit-is-upper-bound"><code class="fail">retrieve/limit-is-upper-bound</code></a>',
    );
    expect(row("ENV-7")).toContain("<em>Only a receiver can tell.</em>");
    expect(row("NS-9")).toContain("<em>a choice: nothing to test</em>");
    expect(row("ENV-1")).toContain("<em>no check of the plugin route cites it</em>");
  });

  it("has clauses apart that no check was about which applies, with their number", () => {
    const checks = SAMPLE_REPORT.checks.filter(({ outcome }) => outcome === "not-applicable");
    const cited = { ...checks[0]!, clauses: ["RET-6"] };
    const [before, after] = htmlReport({ ...SAMPLE_REPORT, checks: [cited] }).split(
      "Clauses without an applicable check",
    );
    expect(after).toContain(">RET-6</th>");
    expect(before).not.toContain(">RET-6</th>");
    expect(after).toMatch(/^ in this run \(\d+\)</);
  });

  it("needs nothing from elsewhere, and runs no script", () => {
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(html).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|https?:/i);
    expect(html).not.toMatch(/\s(src|on\w+)=/i);
    expect([...html.matchAll(/href="([^"]*)"/g)].filter(([, target]) => !target!.startsWith("#"))).toEqual(
      [],
    );
  });

  it("closes every element that it opens", () => {
    const open: string[] = [];
    for (const [, slash, name] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
      if (["meta"].includes(name!)) continue;
      if (slash === "") open.push(name!);
      else expect(open.pop(), html.slice(0, 0) + name).toBe(name);
    }
    expect(open).toEqual([]);
  });

  it("shows what an implementation sends as text, whatever it is", () => {
    const attack = `<img src=x onerror=alert(1)></style></pre>"'&`;
    const check = SAMPLE_REPORT.checks[1]!;
    const cases = [
      {
        ...check.cases[0]!,
        discrepancy: { what: attack, expected: attack, got: attack },
        calls: [{ call: attack, sent: attack, got: attack }],
        reason: attack,
      },
    ];
    const hostile = htmlReport({
      ...SAMPLE_REPORT,
      implementation: attack,
      tiers: [{ ...SAMPLE_REPORT.tiers[0]!, plugin: attack }],
      checks: [{ ...check, id: attack, cases, rerun: attack, known: attack, clauses: [attack] }],
      excludedClauses: [{ id: attack, level: "MUST", text: attack, reason: attack }],
    });
    expect(hostile).not.toContain("<img");
    expect(hostile.match(/<\/style>/g)).toHaveLength(1);
    expect(hostile.match(/&lt;img src=x onerror=alert\(1\)&gt;/g)!.length).toBeGreaterThan(8);
  });
});
