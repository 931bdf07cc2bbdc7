/** The tabs of a repository with its builds, previews and settings. */
import type { DateTime } from "effect"
import { type BuildView, Platform } from "../../../core/model/Build.ts"
import type { Preview } from "../../../core/model/Preview.ts"
import type { BuildPage, PreviewPage } from "../../../core/service/Overview.ts"
import type { RepositoryHistory } from "../../../core/service/TestHistories.ts"
import { testsPerRepository } from "../../../core/service/commits.ts"
import { type Branch, paths } from "../access/site.ts"
import { branchMenu, buildList, card, chips, paging } from "../ui/lists.ts"
import { appHtml, code, type Fact, factList, platforms } from "../ui/facts.ts"
import { html, type Html, joinHtml, shortText, timeHtml } from "../ui/html.ts"
import type { PageContext } from "../ui/layout.ts"
import { type Asked, pathWith, tabPath } from "./asked.ts"

/** The newest build of each branch, platform and app, and a page of builds. */
interface BuildsFacts {
  readonly branches: ReadonlyArray<BuildView>
  readonly builds: BuildPage
  readonly now: DateTime.Utc
  /** What an empty list shows. */
  readonly empty: () => Html
}

const platformLinks = (base: string, asked: Asked): Html =>
  chips(
    "Which platform",
    ([undefined, ...Platform.literals] as const).map((platform) => ({
      label: platform === undefined ? "All" : platforms[platform],
      path: pathWith(base, asked, { platform, buildsAfter: undefined }),
      isShown: platform === asked.platform
    }))
  )

/** Links to the builds of each app, where builds have one. */
const appLinks = (base: string, asked: Asked, branches: ReadonlyArray<BuildView>): Html | "" => {
  const apps = [...new Set([asked.app, ...branches.map(({ build }) => build.app)].filter((app) => app !== undefined))]
  return apps.length === 0
    ? ""
    : chips(
        "Which app",
        [undefined, ...apps].map((app) => ({
          label: app ?? "All apps",
          path: pathWith(base, asked, { app, buildsAfter: undefined }),
          isShown: app === asked.app
        }))
      )
}

/** The builds of a repository. */
export const buildsTab = (base: string, asked: Asked, { branches, builds, empty, now }: BuildsFacts): Html => {
  const isFiltered = [asked.branch, asked.platform, asked.app].some((filter) => filter !== undefined)
  return html`<div class="stack">
    ${
      branches.length === 0 && !isFiltered
        ? ""
        : html`<div class="head">
            ${platformLinks(base, asked)} ${appLinks(base, asked, branches)}
            ${branchMenu({
              all: true,
              branches: [...new Set(branches.map(({ build }) => build.branch))],
              shown: asked.branch,
              pathOf: (branch) => pathWith(base, asked, { branch, buildsAfter: undefined })
            })}
          </div>`
    }
    ${card(
      "builds",
      "Builds",
      html`${
        builds.builds.length > 0
          ? buildList(base, builds.builds, { now, withRepository: false })
          : asked.buildsAfter !== undefined
            ? html`<p>No more.</p>`
            : isFiltered
              ? html`<p>Nothing matches these filters. <a href="${tabPath(base, asked, "builds")}">Show all</a></p>`
              : empty()
      }
      ${paging(
        "Pages of builds",
        asked.buildsAfter === undefined ? undefined : pathWith(base, asked, { buildsAfter: undefined }),
        builds.next === undefined ? undefined : pathWith(base, asked, { buildsAfter: builds.next })
      )}`
    )}
  </div>`
}

const previewEntry = (base: string, { declaration, finalizedAt, reservedAt, shareId }: Preview): Html => {
  const { git, platform } = declaration
  const details = [
    ...appHtml(git),
    ...(platform === undefined ? [] : [html`${platforms[platform]}`]),
    ...(git.commitSha === undefined ? [] : [code(git.commitSha.slice(0, 7))]),
    ...(git.pr === undefined ? [] : [html`#${git.pr}`]),
    timeHtml(finalizedAt ?? reservedAt)
  ]
  return html`<li>
    <a href="${base + paths.preview(shareId)}">
      <span class="name"><bdi>${shortText(git.branch ?? shareId, 100)}</bdi></span>
      <span class="type">${joinHtml(details, " · ")}</span>
    </a>
  </li>`
}

/** The ready previews of a repository without those of test runs, which are on the pages of the runs. */
export const previewsTab = (base: string, asked: Asked, empty: () => Html, { next, previews }: PreviewPage): Html =>
  card(
    "previews",
    "Previews",
    html`${
      previews.length > 0
        ? html`<ul class="list">
            ${previews.map((preview) => previewEntry(base, preview))}
          </ul>`
        : asked.previewsAfter !== undefined
          ? html`<p>No more.</p>`
          : empty()
    }
    ${paging(
      "Pages of previews",
      asked.previewsAfter === undefined ? undefined : pathWith(base, asked, { previewsAfter: undefined }),
      next === undefined ? undefined : pathWith(base, asked, { previewsAfter: next })
    )}`
  )

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

/** Where the state of a branch is shown outside the pages. */
const branchFacts = ({ base }: PageContext["site"], branch: Branch): ReadonlyArray<Fact> => {
  const badge = base + paths.badge(branch)
  return [
    ["Badge", html`<img src="${badge}" alt="Badge" height="20" /> <a href="${badge}/shares">Share</a>`],
    ["Feed", html`<a href="${base + paths.feed(branch)}">Breaks and fixes</a> <span class="type">Atom</span>`]
  ]
}

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
        ["Linked", timeHtml(linkedAt)],
        ...(defaultBranch === undefined ? [] : branchFacts(site, { owner, repo, branch: defaultBranch }))
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
