import type { Repository } from "../../../core/model/Repository.ts"

/** A path of the viewer, below its base. */
export type Path = `/${string}`

/** The paths of the pages. A link leads to `site.base + path`; people and the API's clients get `site.url + path`. */
export const paths = {
  repository: ({ owner, repo }: Pick<Repository, "owner" | "repo">): Path =>
    `/repositories?${new URLSearchParams({ owner, repo })}`,
  build: (id: string): Path => `/builds/${id}`,
  preview: (id: string): Path => `/previews/${id}`,
  /** A preview with the recorded steps of its run, ready to be played. */
  replaySteps: (id: string): Path => `/previews/${id}?steps#flow`,
  run: (id: string): Path => `/runs/${id}`,
  /** The history of a test on a branch, or on all. */
  test: (id: string, branch: string | undefined): Path =>
    `/tests/${id}?${new URLSearchParams({ branch: branch ?? "" })}`,
  /** The history of a test on the default branch of its repository. */
  testOnDefault: (id: string): Path => `/tests/${id}`,
  /** Every run of a repository and a source, such as a workflow run of CI; of one app where it is given. */
  source: ({ owner, repo }: Pick<Repository, "owner" | "repo">, source: string, app?: string): Path =>
    `/sources?${new URLSearchParams({ owner, repo, source, ...(app === undefined ? {} : { app }) })}`,
  compare: (left: string, right: string): Path => `/compare?${new URLSearchParams({ left, right })}`,
  shared: (secret: string): Path => `/shared/${secret}`,
  /** The app of a build or preview in the full window. */
  replay: (page: Path): Path => `${page}/replay`,
  /** The app of a build or preview beside another: that of an id, or the newest of the default branch. */
  compareApps: (page: Path, other?: string): Path =>
    other === undefined ? `${page}/compare` : `${page}/compare?${new URLSearchParams({ with: other })}`,
  /** The page with the share links of a resource. */
  shares: (page: Path): Path => `${page}/shares`,
  /** Where the forms lead that keep what a page shows, and release it. */
  keep: (page: Path): Path => `${page}/keep`,
  release: (page: Path): Path => `${page}/release`,
  /** The page that asks whether what a page shows is to be deleted. */
  deletion: (page: Path): Path => `${page}/delete`
}
