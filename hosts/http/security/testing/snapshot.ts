import { Effect } from "effect"
import { createHash } from "node:crypto"
import { TestHost } from "../../testing/TestHost.ts"
import type { Holdings } from "./holdings.ts"
import { send, wire, type WireResponse } from "./wire.ts"

/** Everything that a list of the API contains, one text for each page. */
const listed = Effect.fnUntraced(function* (key: string, path: string) {
  const { url } = yield* TestHost
  const pages: Array<string> = []
  let cursor: unknown
  do {
    const query = typeof cursor === "string" ? `&cursor=${encodeURIComponent(cursor)}` : ""
    const { status, text } = yield* send(url, wire("GET", path + query, { key }))
    if (status !== 200) return yield* Effect.die(new Error(`${path} answered ${status}: ${text}`))
    pages.push(text)
    const page: { readonly nextCursor?: unknown } = JSON.parse(text)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return pages
})

/** The ids of all builds that the pages of a repository show. */
const buildIds = Effect.fnUntraced(function* ({ cookie, owner, repo }: Holdings) {
  const { url } = yield* TestHost
  const ids: Array<string> = []
  let query: string | undefined = new URLSearchParams({ owner, repo, tab: "builds" }).toString()
  while (query !== undefined) {
    const { status, text }: WireResponse = yield* send(url, wire("GET", `/repositories?${query}`, { cookie }))
    if (status !== 200) return yield* Effect.die(new Error(`the repository's page answered ${status}: ${text}`))
    ids.push(...[...text.matchAll(/href="\/builds\/([\w-]+)"/g)].map(([, id]) => id ?? ""))
    query = /href="\/repositories\?([^"#]*buildsAfter=[^"#]*)/.exec(text.replaceAll("&amp;", "&"))?.[1]
  }
  return new Set(ids)
})

const idsIn = (pages: ReadonlyArray<string>, field: "testRuns" | "shares"): Set<string> =>
  new Set(
    pages.flatMap((page) => {
      const parsed: Readonly<Record<string, ReadonlyArray<{ readonly id: string }>>> = JSON.parse(page)
      return (parsed[field] ?? []).map(({ id }) => id)
    })
  )

/** The ids of the builds, runs and share links of an account. */
export const inventory = Effect.fnUntraced(function* (of: Holdings) {
  const { build, key, owner, preview, repo, runs } = of
  const runPages = yield* listed(key, `/api/v1/test-runs?${new URLSearchParams({ org: owner, repo, limit: "100" })}`)
  const links = yield* Effect.forEach(
    [`builds/${build.id}`, `previews/${preview.shareId}`, `test-runs/${runs.failed}`],
    (path) => listed(key, `/api/v1/${path}/shares?`)
  )
  return {
    builds: yield* buildIds(of),
    runs: idsIn(runPages, "testRuns"),
    links: idsIn(links.flat(), "shares")
  }
})

/**
 * The state of an account's resources when they were created, as the interface shows it: texts, and digests of hosted
 * bytes.
 */
export const snapshot = Effect.fnUntraced(function* ({
  build,
  key,
  links,
  opened,
  openBuild,
  openPreview,
  preview
}: Holdings) {
  const { url } = yield* TestHost
  const kept: Record<string, string> = {}
  for (const path of [
    `/builds/${build.id}`,
    `/builds/${openBuild.id}`,
    `/previews/${preview.shareId}`,
    `/previews/${openPreview.shareId}`
  ]) {
    kept[path] = (yield* send(url, wire("GET", `/api/v1${path}`, { key }))).text
  }
  for (const target of [
    `${opened.build.replay}index.js`,
    `${opened.build.replay}assets/style.css`,
    `${opened.preview.replay}data.json`,
    `${opened.preview.objects}bundle`,
    `${opened.preview.objects}recordings/0`
  ]) {
    const { body, status } = yield* send(url, wire("GET", target))
    kept[target] = `${status} ${createHash("sha256").update(body).digest("hex")}`
  }
  for (const [name, { secret }] of Object.entries(links)) {
    kept[`link to ${name}`] = String((yield* send(url, wire("GET", `/shared/${secret}`))).status)
  }
  return kept
})
