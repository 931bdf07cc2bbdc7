/** A valid request for every endpoint, page and URL of a host, for an account that has one of everything. */
import { declaredRecordings, previewBody, runBody } from "../../testing/previews.ts"
import { bundle, commit, declaredFiles, reserveBody, style } from "../../testing/uploads.ts"
import type { Holdings } from "./holdings.ts"
import { wire, type WireRequest } from "./wire.ts"

/** A token that no CI system signed. */
export const identityToken = [
  { alg: "RS256", kid: "none" },
  { iss: "https://ci.example", sub: "a run" }
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .concat("c2lnbmVkIGJ5IG5vYm9keSwgb2YgY291cnNl")
  .join(".")

const localPart = (url: string): string => url.slice(new URL(url).origin.length)

const api = ({
  build,
  key,
  links,
  openBuild,
  openPreview,
  owner,
  preview,
  repo,
  runs,
  source,
  test
}: Holdings): ReadonlyArray<WireRequest> => {
  const account = { owner, repo, key }
  const post = (path: string, json: unknown, headers?: Record<string, string>) =>
    wire("POST", `/api/v1${path}`, { key, json, headers })
  const get = (path: string) => wire("GET", `/api/v1${path}`, { key })
  const deviceSpec = { width: 390, height: 844 }
  return [
    post(
      "/builds",
      reserveBody(account, { commitSha: commit(7), files: declaredFiles, deviceSpec, entry: "index.js" })
    ),
    post("/builds", reserveBody(account, { commitSha: commit(8) }), { "idempotency-key": "a build" }),
    post("/builds", { operation: "finalize", token: openBuild.token }),
    post("/builds", { operation: "finalize", token: build.token }),
    get(`/builds?${new URLSearchParams({ owner, repo, branch: "main", platform: "ios" })}`),
    get(`/builds/${build.id}`),
    post(`/builds/${build.id}/shares`, { expiresInSeconds: 60 }),
    get(`/builds/${build.id}/shares`),
    wire("DELETE", `/api/v1/builds/${build.id}/shares/${links.revoked.id}`, { key }),
    post("/previews", previewBody({ files: declaredFiles, recordings: declaredRecordings, deviceSpec, owner, repo })),
    post("/previews", previewBody({ billingKind: "test_run", pr: 12, branch: "main" }), {
      "idempotency-key": "a preview"
    }),
    post("/previews/finalize", { token: openPreview.token }),
    post("/previews/finalize", { token: preview.token }),
    get(`/builds/${build.id}/embed`),
    get(`/previews/${preview.shareId}`),
    get(`/previews/${preview.shareId}/embed`),
    get(`/previews?${new URLSearchParams({ owner, repo, limit: "2", cursor: "0" })}`),
    post(`/previews/${preview.shareId}/shares`, { expiresInSeconds: 3600 }),
    get(`/previews/${preview.shareId}/shares`),
    wire("DELETE", `/api/v1/previews/${preview.shareId}/shares/${links.revoked.id}`, { key }),
    post(
      "/test-runs",
      runBody(account, preview.shareId, {
        status: "failed",
        failureMessage: "no",
        stepCount: 2,
        failedStepIndex: 1,
        pr: 1
      })
    ),
    post("/test-runs", runBody(account, preview.shareId), { "idempotency-key": "a run" }),
    get(`/test-runs?${new URLSearchParams({ org: owner, repo, limit: "2", kind: "maestro", status: "passed" })}`),
    get(`/test-runs/${runs.failed}`),
    post(`/test-runs/${runs.failed}/shares`, {}),
    get(`/test-runs/${runs.failed}/shares`),
    wire("DELETE", `/api/v1/test-runs/${runs.failed}/shares/${links.revoked.id}`, { key }),
    get(
      `/tests?${new URLSearchParams({ org: owner, repo, branch: "main", flaky: "true", limit: "2", format: "csv" })}`
    ),
    get(`/tests/${test}?branch=main`),
    get(`/sources/${encodeURIComponent(source)}?${new URLSearchParams({ org: owner, repo, base: "main" })}`),
    post(`/sources/${encodeURIComponent(source)}/imports`, {
      owner,
      repo,
      id: "import-1",
      expectedRuns: 2,
      job: "ios"
    }),
    post(`/quarantines?${new URLSearchParams({ org: owner, repo })}`, {
      kind: "maestro",
      name: "login",
      reason: "The server of the tests answers late",
      owner: "team-ios",
      days: 7
    }),
    get(`/quarantines?${new URLSearchParams({ org: owner, repo })}`),
    wire("DELETE", `/api/v1/quarantines/${test}`, { key }),
    get("/usage"),
    wire("POST", "/api/v1/token-exchange", { json: { token: identityToken } })
  ]
}

const pages = ({
  build,
  cookie,
  key,
  leavingCookie,
  links,
  openBuild,
  owner,
  preview,
  repo,
  runs,
  test
}: Holdings): ReadonlyArray<WireRequest> => {
  const get = (path: string) => wire("GET", path, { cookie, headers: { accept: "text/html" } })
  const form = (path: string, fields: Record<string, string>) => wire("POST", path, { cookie, form: fields })
  return [
    get("/"),
    get("/sign-in?to=/builds"),
    wire("POST", "/sign-in", { cookie: leavingCookie, form: { key, to: "/" } }),
    wire("POST", "/sign-out", { cookie: leavingCookie, form: {} }),
    get(
      `/repositories?${new URLSearchParams({ owner, repo, branch: "main", platform: "ios", kind: "maestro", pr: "1" })}`
    ),
    ...["tests", "runs", "builds"].map((tab) => get(`/repositories?${new URLSearchParams({ owner, repo, tab })}`)),
    get("/usage"),
    get(`/builds/${build.id}`),
    get(`/builds/${build.id}/qr.gif`),
    get(`/builds/${openBuild.id}`),
    get(`/builds/${build.id}/replay`),
    get(`/previews/${preview.shareId}`),
    get(`/previews/${preview.shareId}/view?path=data.json`),
    get(`/previews/${preview.shareId}/bundle`),
    get(`/previews/${preview.shareId}/files/assets/style.css`),
    get(`/previews/${preview.shareId}/recordings/0`),
    get(`/builds/${build.id}/shares`),
    get(`/previews/${preview.shareId}/shares`),
    form(`/previews/${preview.shareId}/shares`, { seconds: "3600" }),
    form(`/previews/${preview.shareId}/shares/${links.revoked.id}/revoke`, {}),
    get(`/runs/${runs.failed}`),
    get(`/runs/${runs.failed}/shares`),
    get(`/compare?${new URLSearchParams({ left: runs.failed, right: runs.passed })}`),
    get(`/shared/${links.preview.secret}`),
    get(`/shared/${links.preview.secret}/view?recording=1`),
    get(`/shared/${links.run.secret}`),
    get(`/shared/${links.run.secret}/embed`),
    get(`/shared/${links.revoked.secret}`),
    get("/sessions"),
    form("/sessions/00000000-0000-7000-8000-000000000000/end", {}),
    form(`/tests/${test}/quarantine`, { reason: "The server of the tests answers late", owner: "team-ios", days: "7" }),
    form(`/tests/${test}/quarantine/remove`, {}),
    get("/audit"),
    get(`/sources?${new URLSearchParams({ owner, repo, source: "ci" })}`),
    get("/docs"),
    get("/openapi.json"),
    get("/healthz"),
    get("/readyz"),
    get("/icon.svg"),
    get("/logo"),
    get("/nowhere")
  ]
}

const content = ({ openBuild, openPreview, opened }: Holdings): ReadonlyArray<WireRequest> => {
  const get = (target: string) => wire("GET", target, { headers: { range: "bytes=0-9" } })
  const put = (slot: { readonly putUrl: string; readonly contentType: string }, body: Uint8Array) =>
    wire("PUT", localPart(slot.putUrl), { headers: { "content-type": slot.contentType }, body })
  return [
    put(openBuild.slots.bundle, bundle),
    put(openPreview.slots.bundle, bundle),
    put(openPreview.slots.files[0]!, style),
    get(opened.build.replay),
    get(`${opened.build.replay}index.js`),
    get(opened.preview.replay),
    get(`${opened.preview.replay}data.json`),
    get(`${opened.preview.objects}bundle`),
    get(`${opened.preview.objects}recordings/1`),
    get(opened.sharedPreview.replay),
    get(`${opened.sharedRun.objects}recordings/0`)
  ]
}

/** Keeps and releases what the account has, and deletes it, by the API with its key and on the pages with its session. Nothing of it is there afterwards. */
export const deletions = ({
  build,
  cookie,
  key,
  openBuild,
  openPreview,
  preview,
  runs
}: Holdings): ReadonlyArray<WireRequest> => [
  ...[`/runs/${runs.passed}`, `/previews/${preview.shareId}`, `/builds/${build.id}`].flatMap((page) => [
    wire("POST", `${page}/keep`, { cookie, form: {} }),
    wire("POST", `${page}/release`, { cookie, form: {} })
  ]),
  wire("GET", `/runs/${runs.passed}/delete`, { cookie }),
  wire("POST", `/runs/${runs.passed}/delete`, { cookie, form: {} }),
  wire("GET", `/previews/${openPreview.shareId}/delete`, { cookie }),
  wire("POST", `/previews/${openPreview.shareId}/delete`, { cookie, form: {} }),
  wire("GET", `/builds/${openBuild.id}/delete`, { cookie }),
  wire("POST", `/builds/${openBuild.id}/delete`, { cookie, form: {} }),
  wire("DELETE", `/api/v1/test-runs/${runs.failed}`, { key }),
  wire("DELETE", `/api/v1/previews/${preview.shareId}`, { key }),
  wire("DELETE", `/api/v1/builds/${build.id}`, { key })
]

export const validRequests = (of: Holdings): ReadonlyArray<WireRequest> => [...api(of), ...pages(of), ...content(of)]
