import type { DateTime } from "effect"
import { html, type Html } from "../ui/html.ts"
import type { BuildView } from "../../../core/model/Build.ts"
import type { BuildPage } from "../../../core/service/Overview.ts"
import { card } from "../ui/card.ts"
import { platforms } from "../ui/facts.ts"
import { buildList } from "../ui/lists.ts"
import { paging } from "../ui/paging.ts"
import { shortText } from "../ui/text.ts"
import { pathWith, tabPath, type Asked } from "./asked.ts"
import { choice, filterForm } from "./filters.ts"

/** The newest build of each branch and platform, and a page of builds. */
export interface BuildsFacts {
  readonly branches: ReadonlyArray<BuildView>
  readonly builds: BuildPage
  readonly now: DateTime.Utc
  /** What an empty list shows. */
  readonly empty: () => Html
}

const branchLinks = (base: string, asked: Asked, builds: ReadonlyArray<BuildView>): Html => {
  const names = [...new Set(builds.map(({ build }) => build.branch))]
  return html`<nav aria-labelledby="branches">
    <h2 id="branches">Branches</h2>
    <ul class="chips">
      ${names.map((branch) => {
        const isShown = branch === asked.branch
        const path = pathWith(base, asked, { branch: isShown ? undefined : branch, buildsAfter: undefined })
        return html`<li>
          <a href="${path}" ${isShown ? html`aria-current="true"` : ""}><bdi>${shortText(branch, 40)}</bdi></a>
        </li>`
      })}
    </ul>
  </nav>`
}

/** The builds of a repository. */
export const buildsTab = (base: string, asked: Asked, { branches, builds, empty, now }: BuildsFacts): Html => {
  const isFiltered = asked.branch !== undefined || asked.platform !== undefined
  return html`<div class="stack">
    ${
      branches.length === 0 && !isFiltered
        ? ""
        : html`<div class="card browse">
            ${branches.length === 0 ? "" : branchLinks(base, asked, branches)}
            ${filterForm(base, asked, { fields: [choice("platform", "Platform", platforms, asked.platform)], isFiltered })}
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
