import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "../ui/html.ts"
import { code, factList, factOf } from "../ui/facts.ts"
import { jsonTree } from "./jsonTree.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { exactSizeText, shortText } from "../ui/text.ts"

/** How a file is shown: as media with its URL, as text, or not at all. */
export type ShownContent =
  | { readonly kind: "image" | "audio" | "video"; readonly source: string }
  | { readonly kind: "text"; readonly text: string; readonly isWhole: boolean }
  | { readonly kind: "bytes" }

/** A file or a recording. */
interface ShownFile {
  readonly name: string
  readonly sizeBytes: number
  /** The declared content type, and the one it is shown as. */
  readonly contentType: string
  readonly type: string
  readonly contentHash?: string | undefined
  /** The URL of the uploaded object. */
  readonly url: string
  readonly content: ShownContent
  /** The page that links here: its path, and what it shows. */
  readonly back: { readonly path: string; readonly to: string }
}

const isJson = (type: string): boolean => /^[^;]*[/+]json\b/i.test(type)

const textHtml = ({ name, type }: ShownFile, text: string, isWhole: boolean): Html => {
  if (text === "") return html`<p>It is empty.</p>`
  const cut = isWhole ? "" : html`<p class="notice">Only the first 512 KiB are shown.</p>`
  const tree = isJson(type) && isWhole ? jsonTree(text) : undefined
  return (
    tree ??
    html`${cut}
      <pre tabindex="0" role="region" aria-label="${name}" dir="auto">${text}</pre>`
  )
}

const contentHtml = (file: ShownFile): Html => {
  const { content, name } = file
  switch (content.kind) {
    case "image":
      return html`<img src="${content.source}" alt="${name}" />`
    case "audio":
      return html`<audio src="${content.source}" aria-label="${name}" controls preload="metadata"></audio>`
    case "video":
      return html`<video src="${content.source}" aria-label="${name}" controls playsinline preload="metadata"></video>`
    case "text":
      return textHtml(file, content.text, content.isWhole)
    case "bytes":
      return html`<p>This file can't be shown here: it is neither text nor media.</p>`
  }
}

/** The page of a file or recording of a preview, with its content. */
export const filePage = (context: PageContext, file: ShownFile): HttpServerResponse.HttpServerResponse => {
  const { back, contentHash, contentType, name, sizeBytes, url } = file
  const { site } = context
  return page(context, {
    title: shortText(name, 60),
    styles: ["file"],
    main: html`<div class="title">
        <h1><bdi>${shortText(name, 200)}</bdi></h1>
        <p class="at"><a href="${site.base}${back.path}">Back to ${back.to}</a></p>
      </div>
      <div class="columns file">
        <section class="card content" aria-labelledby="content">
          <h2 id="content">Content</h2>
          ${contentHtml(file)}
        </section>
        <section class="card" aria-labelledby="facts">
          <h2 id="facts">Facts</h2>
          ${factList([
            ["Size", exactSizeText(sizeBytes)],
            ["Type", code(contentType)],
            ...factOf("SHA-256", contentHash, code),
            ["As uploaded", html`<a href="${url}">Open the file</a>`]
          ])}
        </section>
      </div>`
  })
}
