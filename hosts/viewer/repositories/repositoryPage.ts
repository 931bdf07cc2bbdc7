import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "../ui/html.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { tabPath, tabs, type Asked, type Tab } from "./asked.ts"

const tabLink = (base: string, asked: Asked, tab: Tab): Html =>
  html`<a href="${tabPath(base, asked, tab, asked.branch)}" ${tab === asked.tab ? html`aria-current="page"` : ""}
    >${tabs[tab]}</a
  >`

/** What a tab shows to a key without the scope that it needs. */
export const missing = (scope: string, what: string): Html =>
  html`<p class="card">A key with the scope <code>${scope}</code> sees ${what}.</p>`

/** The page of a repository, with one of its tabs. */
export const repositoryPage = (
  context: PageContext,
  { asked, repository, shown }: { readonly asked: Asked; readonly repository: Repository; readonly shown: Html }
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  const name = `${repository.owner}/${repository.repo}`
  return page(context, {
    title: asked.tab === "overview" ? name : `${tabs[asked.tab]} of ${name}`,
    script: "live",
    styles: ["charts", "repository"],
    main: html`<div class="title of-repository">
        <h1>
          <span class="owner"><bdi>${repository.owner}</bdi>/</span><bdi>${repository.repo}</bdi>
        </h1>
        <nav class="tabs" aria-label="Of this repository">
          ${(["overview", "tests", "runs", "builds", "previews", "settings"] as const).map((tab) => tabLink(base, asked, tab))}
        </nav>
      </div>
      ${shown}`
  })
}
