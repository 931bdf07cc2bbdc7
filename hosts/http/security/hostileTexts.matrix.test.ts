/** Names, messages and logs that try to inject markup: every page shows them as plain text. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { registerRun, uploadPreview } from "../../viewer/testing/previews.ts"
import { eventsOf, picture, stepLine, type Recording } from "../../viewer/testing/runs.ts"
import { frameOf, signIn, unescaped } from "../../viewer/testing/visit.ts"
import { embedded } from "../testing/engines.ts"
import { newAccount, TestHost } from "../testing/TestHost.ts"
import { layer } from "../../../core/testing/layer.ts"
import { bytes, commit, data, declaredFiles, readyBuild, style } from "../testing/uploads.ts"
import { payloads } from "./testing/hostileFiles.ts"
import { skeleton } from "./testing/html.ts"
import { faultsOf } from "./testing/sound.ts"
import { send, shownResponse, wire } from "./testing/wire.ts"

/** A harmless text of the same length, made of letters and digits. */
const harmless = (text: string): string => text.replaceAll(/[^a-z\d]/giu, "x")

const asPath = (text: string): string => text.replaceAll(/[/\\]/g, "_")

/** An upload that contains one text in every field that takes text. */
const recordings = (text: string): ReadonlyArray<Recording> => [
  eventsOf(
    [
      stepLine(0, text, "started", { id: "a", detail: text }),
      stepLine(10, text, "failed", { id: "a", message: text, stack: text, url: text }),
      JSON.stringify({ t: 20, type: text, name: text, message: text }),
      JSON.stringify({ t: 30, type: "network", name: text, url: text, method: text, status: text })
    ],
    { name: text }
  ),
  { name: text, kind: "log", contentType: "text/plain", bytes: bytes(`${text}\n${text}\n`) },
  { name: text, kind: "screenshot", contentType: "image/gif", bytes: picture, startedAtMs: 0 },
  {
    name: text,
    kind: "other",
    contentType: "application/json",
    bytes: bytes(JSON.stringify({ [text]: [text, { [text]: text }] }))
  },
  {
    name: `${text}.har`,
    kind: "other",
    contentType: "application/json",
    bytes: bytes(JSON.stringify({ log: { entries: [{ request: { url: text, method: text }, [text]: text }] } }))
  },
  { name: text, kind: "other", contentType: "text/html", bytes: bytes(text) }
]

/** The pages of a new account whose uploads contain a text in every field, and the document in which one runs. */
const pagesOf = Effect.fnUntraced(function* (text: string) {
  const { url } = yield* TestHost
  const account = yield* newAccount(["builds", "preview_upload", "test_runs"])
  const { key, owner, repo } = account
  const cookie = yield* signIn(key)
  const path = asPath(text)
  const { row } = yield* readyBuild(account, {
    branch: text,
    commitSha: commit(3),
    entry: path,
    bundleOrigin: `https://a.example/?${text}`
  })
  const recorded = recordings(text)
  const declared = recorded.map(({ bytes, ...rest }) => ({ ...rest, sizeBytes: bytes.byteLength }))
  const { shareId } = yield* uploadPreview(
    account,
    {
      owner,
      repo,
      branch: text,
      billingKind: text,
      entry: path,
      bundleOrigin: `https://a.example/?${text}`,
      files: [...declaredFiles, { path, sizeBytes: data.byteLength, contentType: "text/plain" }],
      recordings: declared
    },
    { files: [style, data, data], recordings: recorded.map(({ bytes }) => bytes) }
  )
  const run = {
    previewShareId: shareId,
    name: text,
    prompt: `${text}\n${text}`,
    source: text,
    branch: text,
    commitMessage: `${text}\n\n${text}`,
    author: text,
    job: text,
    app: text,
    file: text,
    tags: [text],
    device: { name: text, platform: text, osVersion: text },
    attempts: [
      { status: "failed", failureMessage: text },
      { status: "failed", failureMessage: text }
    ]
  }
  const failed = yield* registerRun(account, {
    ...run,
    status: "failed",
    failureMessage: `${text}\n${text}`,
    stepCount: 2,
    failedStepIndex: 1
  })
  const passed = yield* registerRun(account, { ...run, status: "passed" })
  const share = Effect.fnUntraced(function* (of: string) {
    const { text: made } = yield* send(url, wire("POST", `/api/v1${of}/shares`, { key, json: {} }))
    const link: { readonly url: string } = JSON.parse(made)
    return link.url.slice(url.length)
  })
  const [sharedPreview, sharedRun] = [yield* share(`/previews/${shareId}`), yield* share(`/test-runs/${failed.id}`)]
  const shown = yield* send(url, wire("GET", `/runs/${failed.id}`, { cookie }))
  const query = new URLSearchParams({ owner, repo, branch: text, source: text }).toString()
  const preview = `/previews/${shareId}`
  const targets = {
    home: "/",
    repository: `/repositories?${new URLSearchParams({ owner, repo })}`,
    "repository, of a branch": `/repositories?${query}`,
    "repository's tests": `/repositories?${query}&tab=tests`,
    "repository's CI runs": `/repositories?${query}&tab=runs`,
    "CI run": `/sources?${query}`,
    test: unescaped(/href="(\/tests\/[^"]+)"/.exec(shown.text)?.[1] ?? ""),
    search: `/search?${new URLSearchParams({ q: text })}`,
    build: `/builds/${row.id}`,
    "build, running": `/builds/${row.id}/replay`,
    preview,
    "a file": `${preview}/view?${new URLSearchParams({ path })}`,
    events: `${preview}/view?recording=0`,
    log: `${preview}/view?recording=1`,
    screenshot: `${preview}/view?recording=2`,
    JSON: `${preview}/view?recording=3`,
    HTML: `${preview}/view?recording=4`,
    run: `/runs/${failed.id}`,
    "run that passed": `/runs/${passed.id}`,
    compare: `/compare?left=${failed.id}&right=${passed.id}`,
    shares: `${preview}/shares`,
    "shared preview": sharedPreview,
    "shared run": sharedRun,
    "shared file": `${sharedPreview}/view?${new URLSearchParams({ path })}`,
    "sign-in": `/sign-in?${new URLSearchParams({ to: `/${text}` })}`,
    nothing: `/builds/${encodeURIComponent(text)}`
  }
  const pages = yield* Effect.forEach(Object.entries(targets), ([name, target]) => {
    const asked = wire("GET", target, { cookie, headers: { accept: "text/html" } })
    return Effect.map(send(url, asked), (answer) => ({ name, asked, answer }))
  })
  const running = pages.find(({ name }) => name === "preview")
  const frame = frameOf(running?.answer.text ?? "")
  return { pages, index: yield* send(url, wire("GET", frame)) }
})

layer(TestHost.layer(embedded()))("hostile texts", (it) => {
  it.effect.each(payloads)("%j stays a text on every page", function* (text) {
    const hostile = yield* pagesOf(text)
    const plain = yield* pagesOf(harmless(text))
    for (const [index, { answer, asked, name }] of hostile.pages.entries()) {
      const twin = plain.pages[index]!.answer
      const what = `${name}: ${shownResponse(answer)}`
      assert.strictEqual(answer.status, twin.status, what)
      assert.deepStrictEqual(faultsOf([])(asked, answer), [], what)
      assert.deepStrictEqual(skeleton(answer.text), skeleton(twin.text), what)
    }
    for (const shownOn of ["run", "CI run", "test", "build", "preview", "compare", "shared run"]) {
      const page = hostile.pages.find(({ name }) => name === shownOn)
      assert.include(unescaped(page?.answer.text ?? ""), text, `it stands on the page ${shownOn}`)
    }
    assert.deepStrictEqual(skeleton(hostile.index.text), skeleton(plain.index.text))
  })
})
