import type { Repository } from "../../../core/model/Repository.ts"

/** A path of the viewer, below its base. */
export type Path = `/${string}`

/**
 * The pages that are about something. A link leads to `site.base + path`. The URL that people are shown, and that the API
 * gives out, is `site.url + path`.
 */
export const paths = {
  repository: ({ owner, repo }: Pick<Repository, "owner" | "repo">): Path =>
    `/repositories?${new URLSearchParams({ owner, repo })}`,
  build: (id: string): Path => `/builds/${id}`,
  buildReplay: (id: string): Path => `/builds/${id}/replay`,
  preview: (id: string): Path => `/previews/${id}`,
  run: (id: string): Path => `/runs/${id}`,
  compare: (left: string, right: string): Path => `/compare?${new URLSearchParams({ left, right })}`,
  shared: (secret: string): Path => `/shared/${secret}`,
  /** The share links to what a page shows. */
  shares: (page: Path): Path => `${page}/shares`
}
