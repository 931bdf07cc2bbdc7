import type { HttpServerResponse } from "effect/http"
import { html } from "ghtml"
import type { Repository } from "../../../core/model/Repository.ts"
import type { TestRunView } from "../../../core/model/TestRun.ts"
import { isFlaky } from "../../../core/rules/testRuns.ts"
import { card } from "../ui/card.ts"
import { code, repositoryHtml } from "../ui/facts.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { noRuns, runList } from "../ui/lists.ts"
import { repositoryStep } from "../ui/repositoryStep.ts"
import { shortText } from "../ui/text.ts"

/** The runs of a repository that one source registered, `isWhole` when there are no more of them. */
export interface RunsOfSource {
  readonly repository: Repository
  readonly source: string
  readonly runs: ReadonlyArray<TestRunView>
  readonly isWhole: boolean
}

/** What people look for first. */
const groups = [
  { id: "failed", title: "Failed", mark: "failed", holds: ({ run }: TestRunView) => run.status === "failed" },
  { id: "flaky", title: "Flaky", mark: "warned", holds: ({ run }: TestRunView) => isFlaky(run) },
  {
    id: "passed",
    title: "Passed",
    mark: "passed",
    holds: ({ run }: TestRunView) => run.status === "passed" && !isFlaky(run)
  }
]

/** Every run of one source, such as a workflow run of CI with all its shards: how many failed, and which. */
export const sourcePage = (
  context: PageContext,
  { isWhole, repository, runs, source }: RunsOfSource
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  const counted = groups.map(({ holds, ...group }) => ({ ...group, runs: runs.filter(holds) }))
  return page(context, {
    title: shortText(source, 60),
    trail: [repositoryStep(repository)],
    main: html`<div class="title">
        <h1>!${code(shortText(source, 160))}</h1>
        <p class="at">
          !${counted.map(
            ({ mark, runs, title }) => html`<span class="pill ${mark}">${runs.length} ${title.toLowerCase()}</span> `
          )}
          of !${repositoryHtml(repository)}
        </p>
        !${isWhole ? "" : html`<p class="notice">These are the newest ${runs.length} runs; there are more.</p>`}
      </div>
      <div class="stack">
        !${
          runs.length === 0
            ? noRuns
            : counted
                .filter((group) => group.runs.length > 0)
                .map(({ id, runs, title }) => card(id, title, runList(base, runs, { withRepository: false })))
        }
      </div>`
  })
}
