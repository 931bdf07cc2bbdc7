import type { DateTime } from "effect"
import { html, type Html } from "../ui/html.ts"
import { Platform, type BuildView } from "../../../core/model/Build.ts"
import type { BuildPage } from "../../../core/service/Overview.ts"
import { branchMenu } from "../ui/branchMenu.ts"
import { card } from "../ui/card.ts"
import { platforms } from "../ui/facts.ts"
import { buildList, chips } from "../ui/lists.ts"
import { paging } from "../ui/paging.ts"
import { pathWith, tabPath, type Asked } from "./asked.ts"

/** The newest build of each branch, platform and app, and a page of builds. */
export interface BuildsFacts {
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
