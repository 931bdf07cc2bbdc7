import type { HttpServerResponse } from "effect/http"
import { html } from "ghtml"
import type { PreviewMetadata } from "../../../core/api/previews/responses.ts"
import type { TestRunRecord } from "../../../core/api/testRuns/responses.ts"
import { code, factList, factOf, repositoryHtml, runKinds, runStatuses } from "./facts.ts"
import type { Fact } from "./facts.ts"
import { page } from "./layout.ts"
import type { PageContext } from "./layout.ts"
import type { Openings } from "./preview.ts"
import { recordingSection } from "./recordings.ts"
import { durationText, shortText, timeHtml } from "./text.ts"

/** The preview of a run, for who may see it. */
export interface RunPreview {
  readonly metadata: PreviewMetadata
  readonly openings: Openings | undefined
}

const factsOf = ({ shared }: PageContext, run: TestRunRecord, previewPath: string): ReadonlyArray<Fact> => [
  ["Status", runStatuses[run.status]],
  ["Kind", runKinds[run.kind]],
  ...factOf("Name", run.name, (name) => html`<bdi>${name}</bdi>`),
  ...factOf("Prompt", run.prompt, (prompt) => html`<bdi class="lines">${prompt}</bdi>`),
  ["Repository", repositoryHtml(run)],
  ...factOf("Branch", run.branch, code),
  ...factOf("Commit", run.commitSha, code),
  ...factOf("Steps", run.stepCount, String),
  ...factOf("Duration", run.durationMs, durationText),
  ...factOf("Source", run.source, code),
  ...factOf("Pull request", run.pr, (pr) => `#${pr}`),
  ...factOf("Started", run.startedAt, timeHtml),
  ["Registered", timeHtml(run.createdAt)],
  ...(shared === true
    ? []
    : [
        ["Page", code(run.traceUrl)] as const,
        ["Preview", html`<a href="${previewPath}"><code>${run.previewUrl}</code></a>`] as const
      ])
]

/** Steps are counted from 0 where they are reported, and from 1 by people. */
const failedStep = ({ failedStepIndex, stepCount }: TestRunRecord): string => {
  if (failedStepIndex === undefined) return ""
  const of = stepCount === undefined ? "" : ` of ${stepCount}`
  return html`<p>
    At step <strong>${failedStepIndex + 1}${of}</strong> (<code>failedStepIndex</code> ${failedStepIndex}).
  </p>`
}

const failure = (run: TestRunRecord): string =>
  run.status === "passed"
    ? ""
    : html`<section class="card failure" aria-labelledby="failure">
        <h2 id="failure">Failure</h2>
        !${failedStep(run)}
        !${
          run.failureMessage === undefined
            ? html`<p>No message was registered.</p>`
            : html`<pre dir="auto">${run.failureMessage}</pre>`
        }
      </section>`

/** A run's trace: what was registered of it, and what its preview recorded. */
export const runPage = (
  context: PageContext,
  run: TestRunRecord,
  preview: RunPreview | undefined
): HttpServerResponse.HttpServerResponse => {
  const previewPath = new URL(run.previewUrl).pathname
  const name = shortText(run.name ?? run.prompt ?? runKinds[run.kind], 160)
  return page(context, {
    title: `${runStatuses[run.status]}: ${shortText(name, 60)}`,
    main: html`<div class="title">
        <h1><bdi>${name}</bdi></h1>
        <p class="at">
          <span class="pill ${run.status}">${runStatuses[run.status]}</span> ${runKinds[run.kind]} run of
          !${repositoryHtml(run)}
        </p>
        !${context.shared === true ? "" : html`<p><a class="button" href="${previewPath}">Open the preview</a></p>`}
      </div>
      <div class="columns">
        !${failure(run)}
        <section class="card" aria-labelledby="facts">
          <h2 id="facts">Facts</h2>
          !${factList(factsOf(context, run, previewPath))}
        </section>
        !${
          preview === undefined
            ? html`<section class="card" aria-labelledby="recordings">
                <h2 id="recordings">Recordings</h2>
                <p>A key with the scope <code>preview_upload</code> sees what the preview recorded.</p>
              </section>`
            : recordingSection(preview.metadata, preview.openings?.objectsPath)
        }
      </div>`
  })
}
