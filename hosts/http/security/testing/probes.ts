/** Requests to every endpoint and page that takes a name, with the names of what another account has. */
import { previewBody, runBody } from "../../testing/previews.ts"
import { reserveBody } from "../../testing/uploads.ts"
import type { Holdings } from "./holdings.ts"
import { wire, type WireRequest } from "./wire.ts"

/** The names of everything that an account has. */
export const namesOf = ({
  build,
  links,
  openBuild,
  openPreview,
  owner,
  preview,
  repo,
  runs,
  source,
  test
}: Holdings) => ({
  build: build.id,
  openBuild: openBuild.id,
  preview: preview.shareId,
  openPreview: openPreview.shareId,
  run: runs.failed,
  test,
  source,
  previewLink: links.preview.id,
  runLink: links.run.id,
  buildToken: build.token,
  openBuildToken: openBuild.token,
  previewToken: preview.token,
  openPreviewToken: openPreview.token,
  owner,
  repo
})
export type Names = ReturnType<typeof namesOf>

/** A name of the same form and length that doesn't exist: its letters and digits are replaced by others. */
const other = (name: string): string =>
  name
    .replaceAll(/[0-9]/g, (digit) => String(9 - Number(digit)))
    .replaceAll(/[a-f]/g, (letter) => String.fromCharCode("a".charCodeAt(0) + "f".charCodeAt(0) - letter.charCodeAt(0)))
    .replaceAll(/[A-F]/g, (letter) => String.fromCharCode("A".charCodeAt(0) + "F".charCodeAt(0) - letter.charCodeAt(0)))

/** The same names replaced by ones that don't exist. */
export const likeButNone = (holdings: Holdings): Names => {
  const names = namesOf(holdings)
  return {
    build: other(names.build),
    openBuild: other(names.openBuild),
    preview: other(names.preview),
    openPreview: other(names.openPreview),
    run: other(names.run),
    test: other(names.test),
    source: other(names.source),
    previewLink: other(names.previewLink),
    runLink: other(names.runLink),
    buildToken: other(names.buildToken),
    openBuildToken: other(names.openBuildToken),
    previewToken: other(names.previewToken),
    openPreviewToken: other(names.openPreviewToken),
    owner: other(names.owner),
    repo: names.repo
  }
}

/** The account that sends the request. */
interface Asking {
  readonly key: string | undefined
  readonly cookie: string | undefined
}

/** A request with these names; `own` are the names of the requesting account. */
export type Probe = (names: Names, own: Holdings, asking: Asking) => WireRequest

const each = <A extends string>(fields: ReadonlyArray<A>, probe: (field: A) => Probe): ReadonlyArray<Probe> =>
  fields.map(probe)

const ids = ["build", "openBuild", "preview", "openPreview", "run", "test", "previewLink", "runLink"] as const
const tokens = ["buildToken", "openBuildToken", "previewToken", "openPreviewToken"] as const
const links = ["previewLink", "runLink"] as const

const api =
  (
    method: string,
    path: (names: Names, own: Holdings) => string,
    json?: (names: Names, own: Holdings) => unknown
  ): Probe =>
  (names, own, { key }) =>
    wire(method, `/api/v1${path(names, own)}`, { key, json: json?.(names, own) })

const page =
  (path: (names: Names, own: Holdings) => string, form?: Readonly<Record<string, string>>): Probe =>
  (names, own, { cookie }) =>
    wire(form === undefined ? "GET" : "POST", path(names, own), { cookie, form, headers: { accept: "text/html" } })

/** Like {@link page}, but with a key instead of a session. */
const byKey =
  (path: (names: Names) => string): Probe =>
  (names, _, { key }) =>
    wire("GET", path(names), { key })

const query = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString()

const ofApi: ReadonlyArray<Probe> = [
  ...each(ids, (id) => api("GET", (names) => `/builds/${names[id]}`)),
  ...each(ids, (id) => api("GET", (names) => `/previews/${names[id]}`)),
  ...each(ids, (id) => api("GET", (names) => `/test-runs/${names[id]}`)),
  ...each(ids, (id) => api("HEAD", (names) => `/builds/${names[id]}`)),
  ...each(ids, (id) => api("DELETE", (names) => `/builds/${names[id]}`)),
  ...each(ids, (id) => api("DELETE", (names) => `/previews/${names[id]}`)),
  ...each(ids, (id) => api("DELETE", (names) => `/test-runs/${names[id]}`)),
  ...(["builds", "previews", "test-runs"] as const).flatMap((group) => [
    ...each(ids, (id) => api("GET", (names) => `/${group}/${names[id]}/shares`)),
    ...each(ids, (id) =>
      api(
        "POST",
        (names) => `/${group}/${names[id]}/shares`,
        () => ({ expiresInSeconds: 60 })
      )
    ),
    ...ids.flatMap((id) =>
      each(links, (link) => api("DELETE", (names) => `/${group}/${names[id]}/shares/${names[link]}`))
    )
  ]),
  // Requests through the requesting account's own resources.
  ...each(links, (link) => api("DELETE", (names, own) => `/previews/${own.preview.shareId}/shares/${names[link]}`)),
  ...each(links, (link) => api("DELETE", (names, own) => `/test-runs/${own.runs.failed}/shares/${names[link]}`)),
  ...each(tokens, (token) =>
    api(
      "POST",
      () => "/builds",
      (names) => ({ operation: "finalize", token: names[token] })
    )
  ),
  ...each(tokens, (token) =>
    api(
      "POST",
      () => "/previews/finalize",
      (names) => ({ token: names[token] })
    )
  ),
  api(
    "POST",
    () => "/builds",
    (names, own) => reserveBody({ ...names, key: own.key })
  ),
  api(
    "POST",
    () => "/previews",
    ({ owner, repo }) => previewBody({ owner, repo })
  ),
  api(
    "POST",
    () => "/previews",
    ({ owner, repo }) => previewBody({ owner, repo, billingKind: "test_run" })
  ),
  ...each(ids, (id) =>
    api(
      "POST",
      () => "/test-runs",
      (names, own) => runBody(own, names[id])
    )
  ),
  ...each(ids, (id) =>
    api(
      "POST",
      () => "/test-runs",
      (names) => runBody(names, names[id])
    )
  ),
  api(
    "POST",
    () => "/test-runs",
    (names, own) => runBody(names, own.preview.shareId)
  ),
  api("GET", ({ owner, repo }) => `/builds?${query({ owner, repo, branch: "main" })}`),
  api(
    "GET",
    ({ owner, repo }) => `/builds?${query({ owner: owner.toUpperCase(), repo, branch: "main", platform: "android" })}`
  ),
  api("GET", ({ owner, repo }) => `/previews?${query({ owner, repo })}`),
  ...each(ids, (id) => api("GET", (names) => `/tests/${names[id]}`)),
  api("GET", ({ owner, repo }) => `/tests?${query({ org: owner, repo })}`),
  api("GET", ({ owner, repo }) => `/tests?${query({ org: owner, repo, format: "csv" })}`),
  api("GET", ({ owner, repo, source }) => `/sources/${encodeURIComponent(source)}?${query({ org: owner, repo })}`),
  api("GET", ({ source }, { owner, repo }) => `/sources/${encodeURIComponent(source)}?${query({ org: owner, repo })}`),
  api(
    "POST",
    ({ source }) => `/sources/${encodeURIComponent(source)}/imports`,
    ({ owner, repo }) => ({ owner, repo, id: "probe", expectedRuns: 0, registeredRuns: 0 })
  ),
  api("GET", ({ owner, repo }) => `/quarantines?${query({ org: owner, repo })}`),
  api(
    "POST",
    ({ owner, repo }) => `/quarantines?${query({ org: owner, repo })}`,
    () => ({ kind: "maestro", name: "login", reason: "a probe" })
  ),
  ...each(ids, (id) => api("DELETE", (names) => `/quarantines/${names[id]}`)),
  api("GET", ({ owner, repo }) => `/test-runs?${query({ org: owner, repo })}`),
  api("GET", ({ owner, repo }, own) => `/test-runs?${query({ org: owner, repo, branch: own.branch, limit: "1" })}`)
]

const ofPages: ReadonlyArray<Probe> = [
  ...each(ids, (id) => page((names) => `/builds/${names[id]}`)),
  ...each(ids, (id) => page((names) => `/builds/${names[id]}/replay`)),
  ...each(ids, (id) => page((names) => `/builds/${names[id]}/embed`)),
  ...each(ids, (id) => page((names) => `/previews/${names[id]}/embed`)),
  ...each(ids, (id) => page((names) => `/previews/${names[id]}`)),
  ...each(ids, (id) => page((names) => `/previews/${names[id]}/view?path=data.json`)),
  ...each(ids, (id) => page((names) => `/previews/${names[id]}/view?recording=0`)),
  ...["bundle", "files/data.json", "recordings/0"].flatMap((place) => [
    ...each(ids, (id) => page((names) => `/previews/${names[id]}/${place}`)),
    ...each(ids, (id) => byKey((names) => `/previews/${names[id]}/${place}`))
  ]),
  ...each(ids, (id) => page((names) => `/runs/${names[id]}`)),
  ...each(ids, (id) => page((names, own) => `/compare?${query({ left: names[id], right: own.runs.failed })}`)),
  ...each(ids, (id) => page((names, own) => `/compare?${query({ left: own.runs.failed, right: names[id] })}`)),
  ...(["builds", "previews", "runs"] as const).flatMap((group) => [
    ...each(ids, (id) => page((names) => `/${group}/${names[id]}/shares`)),
    ...each(ids, (id) => page((names) => `/${group}/${names[id]}/shares`, { seconds: "3600" })),
    ...ids.flatMap((id) =>
      each(links, (link) => page((names) => `/${group}/${names[id]}/shares/${names[link]}/revoke`, {}))
    )
  ]),
  ...each(links, (link) => page((names, own) => `/previews/${own.preview.shareId}/shares/${names[link]}/revoke`, {})),
  page(({ owner, repo }) => `/repositories?${query({ owner, repo })}`),
  ...["badges", "feeds"].flatMap((kind) => [
    page(({ owner, repo }) => `/${kind}/${encodeURIComponent(`${owner}/${repo}/main`)}`),
    byKey(({ owner, repo }) => `/${kind}/${encodeURIComponent(`${owner}/${repo}`)}`)
  ]),
  page(({ owner, repo }) => `/badges/${encodeURIComponent(`${owner}/${repo}/main`)}/shares`),
  page(({ owner, repo }) => `/badges/${encodeURIComponent(`${owner}/${repo}/main`)}/shares`, { seconds: "3600" }),
  ...each(ids, (id) => page((names) => `/shared/${names[id]}`)),
  ...each(tokens, (token) => page((names) => `/shared/${names[token]}`)),
  ...each(tokens, (token) => page((names) => `/shared/${names[token]}/embed`))
]

const mcp =
  (tool: string, given: (names: Names, own: Holdings) => object): Probe =>
  (names, own, { key }) =>
    wire("POST", "/mcp", {
      key,
      json: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: given(names, own) } },
      headers: { accept: "application/json, text/event-stream" }
    })

const ofAgents: ReadonlyArray<Probe> = [
  mcp("list_tests", ({ owner, repo }) => ({ owner, repo, state: "all" })),
  mcp("list_failures", ({ owner, repo }) => ({ owner, repo, pr: 1 })),
  mcp("list_failures", ({ owner, repo, source }) => ({ owner, repo, source })),
  mcp("list_failures", ({ source }, { owner, repo }) => ({ owner, repo, source })),
  mcp("list_quarantines", ({ owner, repo }) => ({ owner, repo })),
  ...["read_run", "compare_with_last_pass", "component_tree"].flatMap((tool) =>
    ids.map((id) => mcp(tool, (names) => ({ run: names[id] })))
  ),
  ...ids.flatMap((id) => [
    mcp("read_test", (names) => ({ test: names[id] })),
    mcp("quarantine_test", (names) => ({ test: names[id], reason: "a probe" })),
    mcp("end_quarantine", (names) => ({ test: names[id] }))
  ])
]

export const probes: ReadonlyArray<Probe> = [...ofApi, ...ofPages, ...ofAgents]
