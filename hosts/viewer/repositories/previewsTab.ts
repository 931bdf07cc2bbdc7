import type { Preview } from "../../../core/model/Preview.ts"
import type { PreviewPage } from "../../../core/service/Overview.ts"
import { paths } from "../access/paths.ts"
import { card } from "../ui/card.ts"
import { appHtml, code, platforms } from "../ui/facts.ts"
import { html, joinHtml, type Html } from "../ui/html.ts"
import { paging } from "../ui/paging.ts"
import { shortText, timeHtml } from "../ui/text.ts"
import { pathWith, type Asked } from "./asked.ts"

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
