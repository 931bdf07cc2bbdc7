import { html, type SafeHtml } from "@remix-run/html-template"
import { commandName } from "../../config/commandName.ts"
import type { Report } from "../Report.ts"
import { shellWord } from "../shell.ts"
import { durationText, implementationText, listed, profileNames } from "../words.ts"
import { block, code, facts, timeHtml, textHtml } from "./text.ts"

const repository = ({ owner, repo }: { readonly owner: string; readonly repo: string }): SafeHtml =>
  code(`${owner}/${repo}`)

/** The command that judges a report of this version again. */
const verifyCommand = (version: string): string => {
  const [program = "", ...rest] = commandName.split(" ")
  return ["npx", shellWord(`${program}@${version}`), ...rest, "verify report.json"].join(" ")
}

/** What was run, and how to judge the recording again. */
export const provenanceHtml = ({ config, interface: { digest }, run, suite }: Report): SafeHtml => {
  const { a, b } = config.accounts
  return html`<section aria-labelledby="provenance">
    <h2 id="provenance">How to verify this report</h2>
    <p>
      This page shows a report in JSON. With that file anybody can judge the run again, without the target, without its
      keys and without trusting its author: each check is run against the recorded answers, and outcomes, verdicts and
      digests are compared.
    </p>
    ${block(verifyCommand(suite.version))}
    <p>
      That shows whether the answers mean what the report says. Only a run of your own can show whether the target
      really gave these answers.
    </p>
    ${facts([
      ["Suite", html`Slipway ${code(suite.version)}`],
      ["Suite digest", code(suite.digest)],
      ["Interface digest", code(digest)],
      ["Run", code(run.id)],
      ["Started", timeHtml(run.startedAt)],
      ["Took", html`${durationText(run.durationMs)}`],
      ["Implementation", textHtml(implementationText({ config }) || "not named")],
      ["Target", code(config.url)],
      ["Profiles", html`${listed(config.profiles.map((profile) => profileNames[profile]))}`],
      ["Account a", html`linked ${repository(a.linked)}, not linked ${repository(a.unlinked)}`],
      ["Account b", html`linked ${repository(b.linked)}, not linked ${repository(b.unlinked)}`],
      ["Reads may lag", config.windowMs === 0 ? "not at all" : html`by ${durationText(config.windowMs)}`],
      ["Writes", run.readOnly ? "none: only checks that create nothing were run" : "yes"]
    ])}
    <details class="long-list">
      <summary>The requests and answers that the interface leaves open, as the config has them</summary>
      ${block(JSON.stringify(config.bindings, undefined, 2))}
    </details>
  </section>`
}
