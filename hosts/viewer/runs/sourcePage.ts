import type { HttpServerResponse } from "effect/http"
import { html } from "../ui/html.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import { sourceParts } from "../../../core/rules/attempts.ts"
import { isFlaky } from "../../../core/rules/testRuns.ts"
import { mostRunsOfCi, type Attempts, type CiRun } from "../../../core/service/TestRuns.ts"
import { card } from "../ui/card.ts"
import { code, repositoryHtml } from "../ui/facts.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { noRuns, runList } from "../ui/lists.ts"
import { repositoryStep } from "../ui/repositoryStep.ts"
import { shortText } from "../ui/text.ts"

/** The tests of a repository in the CI run that a source names. */
interface TestsOfSource extends CiRun {
  readonly repository: Repository
  readonly source: string
}

/** What people look for first. A test is as its latest attempt is. */
const groups = [
  { id: "failed", title: "Failed", mark: "failed", holds: ([{ run }]: Attempts) => run.status === "failed" },
  { id: "flaky", title: "Flaky", mark: "warned", holds: ([{ run }]: Attempts) => isFlaky(run) },
  {
    id: "passed",
    title: "Passed",
    mark: "passed",
    holds: ([{ run }]: Attempts) => run.status === "passed" && !isFlaky(run)
  }
]

/** Every test of one source, such as a workflow run of CI with all its shards and attempts: how many failed, and which. */
export const sourcePage = (
  context: PageContext,
  { isWhole, repository, source, tests }: TestsOfSource
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  const { ciRun } = sourceParts(source)
  const counted = groups.map(({ holds, ...group }) => ({ ...group, tests: tests.filter(holds) }))
  return page(context, {
    title: shortText(ciRun, 60),
    trail: [repositoryStep(repository)],
    main: html`<div class="title">
        <h1>${code(shortText(ciRun, 160))}</h1>
        <p class="at">
          ${counted.map(
            ({ mark, tests, title }) => html`<span class="pill ${mark}">${tests.length} ${title.toLowerCase()}</span> `
          )}
          of ${repositoryHtml(repository)}
        </p>
        ${isWhole ? "" : html`<p class="notice">These are the newest ${mostRunsOfCi} runs; there are more.</p>`}
      </div>
      <div class="stack">
        ${
          tests.length === 0
            ? noRuns
            : counted
                .filter((group) => group.tests.length > 0)
                .map(({ id, tests, title }) => card(id, title, runList(base, tests, { withRepository: false })))
        }
      </div>`
  })
}
