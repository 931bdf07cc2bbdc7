import type { RepositoryHistory } from "../../../core/service/TestHistories.ts"
import { testsPerRepository } from "../../../core/service/commits.ts"
import { card } from "../ui/card.ts"
import { code, factList } from "../ui/facts.ts"
import { html, type Html } from "../ui/html.ts"
import type { PageContext } from "../ui/layout.ts"
import { shortText, timeHtml } from "../ui/text.ts"

/** From which share of its quota of tests a repository is warned. */
const nearlyFull = 0.9

const testsText = (tests: number): string =>
  `${tests.toLocaleString("en-GB")} of at most ${testsPerRepository.toLocaleString("en-GB")}`

/** Warns that a repository soon has as many different tests as it may. */
export const testsNotice = (tests: number): Html | undefined =>
  tests < nearlyFull * testsPerRepository
    ? undefined
    : html`<p class="notice">
        This repository has ${testsText(tests)} different tests. A new test replaces the one with a single result that
        ran longest ago. If a name holds a time or an id, give each test the same name in every run.
      </p>`

/** What an operator set for a repository, and how to change it. */
export const settingsTab = (
  { mayAdminister, site }: PageContext,
  { branches, defaultBranch, repository }: RepositoryHistory,
  account: string,
  tests: number
): Html => {
  const { linkedAt, owner, repo } = repository
  const chosen =
    repository.defaultBranch !== undefined
      ? "set by the operator"
      : branches.some(({ branch }) => branch === defaultBranch)
        ? "chosen by Slipway: main, else master, else the branch with the most CI runs"
        : ""
  return card(
    "settings",
    "Settings",
    html`${factList([
        [
          "Default branch",
          defaultBranch === undefined
            ? "none yet"
            : html`${code(shortText(defaultBranch, 200))} <span class="type">${chosen}</span>`
        ],
        ["Different tests", testsText(tests)],
        ["Linked", timeHtml(linkedAt)]
      ])}
      <p>
        ${
          mayAdminister === true
            ? html`<a
                class="button"
                href="${site.base}/account/repositories/settings?${new URLSearchParams({ owner, repo }).toString()}"
                >Change</a
              >`
            : html`An owner of the account changes the default branch in the browser, and the operator of this service
                with
                <code
                  >slipway repo link <bdi>${owner}/${repo}</bdi> --account <bdi>${account}</bdi> --default-branch
                  BRANCH</code
                >.`
        }
      </p>`
  )
}
