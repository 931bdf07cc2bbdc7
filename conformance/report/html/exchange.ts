import { html, type SafeHtml } from "@remix-run/html-template"
import type { Credential, Exchange, Sent } from "../../session/Exchange.ts"
import { curl } from "../curl.ts"
import { bodyText, credentialText, requestBody } from "../exchangeText.ts"
import type { Report } from "../Report.ts"
import { oneLine } from "../visible.ts"
import { counted } from "../words.ts"
import { block, markedCode } from "./text.ts"

/** How many characters are shown of a body. */
const most = 6000

/** A URL without the base URL of the target. */
const shortUrl = (url: string, base: string): string => (url.startsWith(`${base}/`) ? url.slice(base.length) : url)

const shortCredential = (as: Credential): string =>
  typeof as === "string" ? `${as === "none" ? "no" : as} key` : `${as.account} · ${as.key}`

const kindOf = (status: number): string => (status >= 500 ? "bad" : status < 300 ? "good" : "plain")

const headerText = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${oneLine(value)}`)
    .join("\n")

const part = (name: string, headers: string, body: string): SafeHtml | undefined =>
  headers === "" && body === ""
    ? undefined
    : html`<h5>${name}</h5>
        ${headers === "" ? "" : block(headers)} ${body === "" ? "" : block(body)}`

/** Whose key was sent, when the answer came, and how the URL was changed. */
const circumstances = ({ at, request: { as, tamper }, retries }: Exchange): string =>
  [
    `${credentialText(as)}; answered ${at} ms after the check began`,
    retries === undefined ? "" : `, after the target had asked ${counted(retries, "time")} to retry later`,
    tamper === undefined ? "." : `. The ${tamper} in the URL was altered before it was sent.`
  ].join("")

/** A request that had no answer, unfolded. */
export const unansweredHtml = ({ config }: Pick<Report, "config">, request: Sent): SafeHtml =>
  html`<li>
    <details class="exchange" open>
      <summary>
        <span class="request"><b>${oneLine(request.method)}</b> ${markedCode(shortUrl(request.url, config.url))}</span>
        <span class="quiet">${shortCredential(request.as)}</span>
        <span class="status bad">no answer</span>
      </summary>
      ${part("Request", headerText(request.headers), requestBody(request, most))}
      <h5>As a command</h5>
      ${block(curl({ request }, config.bindings.key))}
    </details>
  </li>`

/** One request and its answer, which unfold from one line. */
export const exchangeHtml = (
  { config }: Pick<Report, "config">,
  exchange: Exchange,
  options: { readonly isOpen: boolean }
): SafeHtml => {
  const { answer, request } = exchange
  const { status } = answer
  return html`<li>
    <details class="exchange" ${options.isOpen ? "open" : ""}>
      <summary>
        <span class="request"><b>${oneLine(request.method)}</b> ${markedCode(shortUrl(request.url, config.url))}</span>
        <span class="quiet">${shortCredential(request.as)}</span>
        <span class="status ${kindOf(status)}">${status}</span>
      </summary>
      <p class="quiet">${circumstances(exchange)}</p>
      ${part("Request", headerText(request.headers), requestBody(request, most))}
      ${part(`Answer ${status}`, headerText(answer.headers), bodyText(answer.text, most))}
      <h5>As a command</h5>
      ${block(curl(exchange, config.bindings.key))}
    </details>
  </li>`
}
