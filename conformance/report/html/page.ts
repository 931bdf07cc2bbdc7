import { createHash } from "node:crypto"
import { html } from "@remix-run/html-template"
import type { Report } from "../Report.ts"
import { oneLine } from "../visible.ts"
import { checksHtml } from "./checks.ts"
import { choicesHtml } from "./choices.ts"
import { ledgerHtml } from "./ledger.ts"
import { failuresHtml } from "./failures.ts"
import { provenanceHtml } from "./provenance.ts"
import { sentencesHtml } from "./sentences.ts"
import { style } from "./style.ts"
import { textHtml } from "./text.ts"
import { verdictsHtml, verdictText } from "./verdicts.ts"

/** The content security policy: the page may use its one stylesheet, load nothing and run nothing. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'"
].join("; ")

/** The exact text whose digest is in the policy. With one more space the browser would refuse it. */
const styleElement = html.raw`${`<style>${style}</style>`}`

const links: ReadonlyArray<readonly [string, string]> = [
  ["verdicts", "Verdict"],
  ["checks", "Checks"],
  ["choices", "Choices"],
  ["sentences", "Sentences"],
  ["ledger", "Made there"],
  ["provenance", "Verify"]
]

/**
 * A run as one page that needs nothing else: no request leaves it and no script is in it. For people, on a screen of any
 * width, light or dark, and on paper.
 */
export const renderHtml = (report: Report, options: { readonly configFile?: string } = {}): string =>
  String(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta http-equiv="content-security-policy" content="${policy}" />
          <meta name="color-scheme" content="light dark" />
          <meta name="referrer" content="no-referrer" />
          <link rel="icon" href="data:," />
          <title>${oneLine(report.config.url)}: ${verdictText(report)} · Slipway conformance</title>
          ${styleElement}
        </head>
        <body>
          <header>
            <p class="brand">Slipway <span>conformance report</span></p>
            <h1>${textHtml(report.config.url.replace(/^https?:\/\//, ""))}</h1>
            <nav aria-label="On this page">
              <ul>
                ${links.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}
              </ul>
            </nav>
          </header>
          <main>
            ${verdictsHtml(report)} ${failuresHtml(report)} ${checksHtml(report, options.configFile)}
            ${choicesHtml(report)} ${sentencesHtml(report)} ${ledgerHtml(report)} ${provenanceHtml(report)}
          </main>
          <footer>
            <p>
              Run <code>${oneLine(report.run.id)}</code> · suite
              <code>${oneLine(report.suite.digest.slice(0, 12))}</code> · interface
              <code>${oneLine(report.interface.digest.slice(0, 12))}</code>
            </p>
          </footer>
        </body>
      </html> `
    // Indentation between tags is a tenth of the page.
  ).replaceAll(/>\n\s+</g, ">\n<")
