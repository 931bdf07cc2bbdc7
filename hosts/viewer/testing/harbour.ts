/** A host that has one of everything, every kind of page on it, and browsers in which people are signed in. */
import { Context, Effect, Layer, Schema } from "effect"
import { CreateShareLinkResponse } from "../../../core/api/shareLinks.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { bundle, bytes, commit, put, readyBuild, reserve, sha256 } from "../../http/testing/uploads.ts"
import { Chromium } from "./chromium.ts"
import { registerRun, reservePreview, uploadPreview } from "./previews.ts"
import { demoRun, picture, recordedRun } from "./runs.ts"
import { signIn, visit } from "./visit.ts"

/** Names too long for a line, with characters that reverse the text beside them unless they are isolated. */
const long = "w".repeat(180)
export const branch = `feature/${long}\u202eرصيف`
const runName = `Log in ${long}`
const script = bytes('document.getElementById("root").textContent = "Hello"\n')

/** Half a second of silence. */
const sound = new Uint8Array(
  Buffer.concat([
    Buffer.from("52494646c40f000057415645666d74201000000001000100401f0000401f00000100080064617461a00f0000", "hex"),
    Buffer.alloc(4000, 128)
  ])
)

const files = [
  { path: `notes/${long}.txt`, contentType: "text/plain", bytes: bytes("Mind the gap.\n") },
  { path: "data.json", contentType: "application/json", bytes: bytes('{"berths":[{"name":"A1"}]}') },
  { path: "pixel.gif", contentType: "image/gif", bytes: picture },
  { path: "horn.wav", contentType: "audio/wav", bytes: sound },
  { path: "film.mp4", contentType: "video/mp4", bytes: sound },
  { path: "core.bin", contentType: "application/octet-stream", bytes: new Uint8Array([0, 1, 2, 255]) }
]

const recordings = [
  { name: `${long}.gif`, kind: "screenshot", contentType: "image/gif", bytes: picture, startedAtMs: 1530 },
  { name: "boot.log", kind: "log", contentType: "text/plain", bytes: bytes("launched\n") }
]

const declare = <A extends { readonly bytes: Uint8Array }>({ bytes: content, ...rest }: A) => ({
  ...rest,
  sizeBytes: content.byteLength,
  contentHash: sha256(content)
})

const asLink = Schema.decodeUnknownEffect(CreateShareLinkResponse)

/** The session cookie of the person viewing. */
export type Who = "nobody" | "owner" | "newcomer" | "builder"

const made = Effect.gen(function* () {
  const host = yield* TestHost
  const { admin } = host
  const account = yield* newAccount(["builds", "preview_upload", "test_runs", "delete", "account_admin"])
  const { owner, repo } = account
  const scopes = { builds: ["builds"], all: ["builds", "preview_upload", "test_runs"] } as const
  const builder = yield* admin.createKey({ account: account.name, name: "builder", scopes: scopes.builds })
  yield* admin.createAccount({ name: "newcomer" })
  const newcomer = yield* admin.createKey({ account: "newcomer", name: "first", scopes: scopes.all })
  const cookies = {
    nobody: "",
    owner: yield* signIn(account.key),
    newcomer: yield* signIn(newcomer.key),
    builder: yield* signIn(builder.key)
  }

  const { webhook } = yield* admin.addWebhook({
    account: account.name,
    url: `https://ci.example/${long}`,
    types: ["run.registered"]
  })
  yield* admin.addWebhook({ account: account.name, url: "https://ci.example/", types: [] })
  const revoked = yield* admin.createKey({ account: account.name, name: long, scopes: scopes.all })
  yield* admin.revokeKey({ id: revoked.record.id })

  // A second session of the owner, in a browser with a very long name.
  yield* visit("POST", "/sign-in", { form: { key: account.key }, headers: { "user-agent": long } })

  const { row: build } = yield* readyBuild(account, { branch, deviceSpec: { width: 390, height: 844 } })
  yield* readyBuild(account, { branch, deviceSpec: { width: 390, height: 844 } }) // once more: an earlier upload
  const unfinished = yield* reserve(account, { branch, commitSha: commit(2) })
  const preview = yield* uploadPreview(
    account,
    {
      owner,
      repo,
      branch,
      commitSha: commit(3),
      pr: 41,
      platform: "android",
      deviceSpec: { width: 412, height: 915 },
      billingKind: "test_run",
      bundleOrigin: `http://${long}.localhost:8081`,
      contentHash: sha256(script),
      bundleSizeBytes: script.byteLength,
      files: files.map(declare),
      recordings: recordings.map(declare)
    },
    { bundle: script, files: files.map((file) => file.bytes), recordings: recordings.map((one) => one.bytes) }
  )
  const unfinishedPreview = yield* reservePreview(account, { owner, repo, branch })
  yield* registerRun(account, { previewShareId: preview.shareId, name: runName, status: "passed", branch })
  yield* demoRun(account, "feet-passed", { branch, commitSha: commit(4) })
  const failed = yield* demoRun(account, "feet-failed", { branch })
  const bare = yield* recordedRun(account, [], { name: "Nothing recorded", status: "failed" })
  const deleted = yield* reservePreview(account, { files: [] })
  yield* put(deleted.slots.bundle, bundle)
  yield* host.call("POST", "/api/v1/previews/finalize", { key: account.key, body: { token: deleted.token } })
  const orphan = yield* registerRun(account, { previewShareId: deleted.shareId, name: "Of a deleted preview" })
  yield* host.call("DELETE", `/api/v1/previews/${deleted.shareId}`, { key: account.key })
  const passed = yield* demoRun(account, "feet-passed", { branch })

  const share = Effect.fnUntraced(function* (below: string) {
    const answer = yield* host.call("POST", `/api/v1/${below}/shares`, { key: account.key, body: {} })
    return yield* asLink(answer.json)
  })
  const ended = yield* share(`previews/${preview.shareId}`)
  yield* host.call("DELETE", `/api/v1/previews/${preview.shareId}/shares/${ended.id}`, { key: account.key })
  const links = {
    preview: new URL((yield* share(`previews/${preview.shareId}`)).url).pathname,
    run: new URL((yield* share(`test-runs/${failed.id}`)).url).pathname,
    ended: new URL(ended.url).pathname
  }
  return {
    host,
    account,
    cookies,
    webhook,
    build,
    unfinished,
    preview,
    unfinishedPreview,
    failed,
    bare,
    deleted,
    orphan,
    passed,
    links
  }
})

/** A host that has one of everything, made once for all tests. */
export class Harbour extends Context.Service<Harbour, Effect.Success<typeof made>>()(
  "slipway/hosts/viewer/test/Harbour"
) {
  static readonly layer = Layer.effect(Harbour, Effect.orDie(made))
}

/** A page: its path, who opens it, and its facts, which it shows without scripts. */
interface Kind {
  readonly who: Who
  readonly path: string
  readonly status?: number
  readonly facts: ReadonlyArray<string>
}

const repositoryPath = ({ account: { owner, repo } }: Harbour["Service"]) =>
  `/repositories?${new URLSearchParams({ owner, repo })}`

const viewPath = (below: string, path: string) => `${below}/view?${new URLSearchParams({ path })}`

/** Every kind of page. */
export const kindsOf = (harbour: Harbour["Service"]): Readonly<Record<string, Kind>> => {
  const {
    account,
    bare,
    build,
    deleted,
    failed,
    links,
    orphan,
    passed,
    preview,
    unfinished,
    unfinishedPreview,
    webhook
  } = harbour
  const repository = String(new URLSearchParams({ owner: account.owner, repo: account.repo }))
  const name = `${account.owner}/${account.repo}`
  const previewPath = `/previews/${preview.shareId}`
  const step = ["Expect lengths in feet", "Switch to feet", "Assertion is false", "Failed"]
  const previewFacts = [name, commit(3), "#41", "412 × 915", "Android", "boot.log", "Screenshot", "data.json", "Ready"]
  const view = (path: string) => viewPath(previewPath, path)
  const at = (who: Who, path: string, facts: ReadonlyArray<string>, status = 200): Kind => ({
    who,
    path,
    facts,
    status
  })
  return {
    "sign-in": at("nobody", "/sign-in", ["Sign in", "API key"]),
    "signed out": at("nobody", previewPath, ["Sign in", "API key"], 401),
    "an empty home": at("newcomer", "/", [
      "newcomer",
      "slipway repo link",
      'slipway-ci.tgz" upload build',
      'slipway-ci.tgz" import maestro'
    ]),
    home: at("owner", "/", [
      account.name,
      name,
      "Latest builds",
      "Uploading",
      "Latest CI runs",
      "API reference",
      "flaky this week"
    ]),
    usage: at("owner", "/usage", ["Usage", "billed test run", "stored"]),
    "home of a key for builds": at("builder", "/", [name, "Latest builds", "test_runs"]),
    repository: at("owner", repositoryPath(harbour), [name, "Overview", "CI run", "Shows feet"]),
    "a repository's tests": at("owner", `${repositoryPath(harbour)}&tab=tests`, ["Tests in the", "Shows feet"]),
    "a repository's CI runs": at("owner", `${repositoryPath(harbour)}&tab=runs`, ["CI runs", "Shows feet", "Failed"]),
    "a repository's builds": at("owner", `${repositoryPath(harbour)}&tab=builds`, ["All branches", "iOS", "Uploading"]),
    "a repository for a key for builds": at("builder", repositoryPath(harbour), [
      "sees test runs",
      "All branches",
      "iOS"
    ]),
    "a repository, filtered to nothing": at("owner", `${repositoryPath(harbour)}&tab=builds&branch=none`, [
      "Nothing matches these filters"
    ]),
    build: at("owner", `/builds/${build.id}`, [
      name,
      "iOS build of",
      build.commitSha,
      build.contentHash,
      "Ready",
      "Uploads 2"
    ]),
    "a build, uploading": at("owner", `/builds/${unfinished.id}`, ["Uploading", "turns ready by itself", commit(2)]),
    preview: at("owner", previewPath, [...previewFacts, account.name, "Test runs 1", "Log in"]),
    "two apps": at("owner", `${previewPath}/compare?with=${build.id}`, [
      "Compare",
      "Preview",
      "Build",
      "Mirrored steps",
      "Back to the preview"
    ]),
    "a preview, uploading": at("owner", `/previews/${unfinishedPreview.shareId}`, [
      "Uploading",
      "turns ready by itself"
    ]),
    "a text": at("owner", view(files[0]?.path ?? ""), [
      "Mind the gap.",
      "text/plain",
      sha256(files[0]?.bytes ?? script)
    ]),
    "a JSON": at("owner", view("data.json"), ["berths", '"A1"', "application/json"]),
    "an image": at("owner", view("pixel.gif"), ["pixel.gif", "image/gif"]),
    "a sound": at("owner", view("horn.wav"), ["horn.wav", "audio/wav"]),
    "a video": at("owner", view("film.mp4"), ["film.mp4", "video/mp4"]),
    bytes: at("owner", view("core.bin"), ["neither text", "4 bytes"]),
    "a recording": at("owner", `${previewPath}/view?recording=1`, ["launched", "boot.log"]),
    "the audit log": at("owner", "/audit", [
      "Audit log",
      "Signed in",
      "Key created",
      "administrator: command line",
      "127.0.0.1"
    ]),
    sessions: at("owner", "/sessions", [
      "Sessions",
      "This one",
      "signed in",
      "127.0.0.1",
      "End",
      "Sign out everywhere"
    ]),
    keys: at("owner", "/account/keys", ["API keys", "Valid keys 2", "You", "Expired and revoked keys (1)", "New key"]),
    "a key": at("owner", `/account/keys/${account.keyId}`, [
      "The key ci",
      "signed in with this key",
      "Rotate",
      "Revoke"
    ]),
    "linked repositories": at("owner", "/account/repositories", ["Repositories", name, "slipway repo link"]),
    "settings of a repository": at("owner", `/account/repositories/settings?${repository}`, [name, "Default branch"]),
    webhooks: at("owner", "/account/webhooks", ["Webhooks 2", "https://ci.example/", "all events", "New webhook"]),
    "a webhook": at("owner", `/account/webhooks/${webhook.id}`, ["Latest deliveries", "run.registered", "Remove"]),
    retention: at("owner", "/account/retention", ["Retention", "Default of this service (forever)", "Save"]),
    "keys, for a key for builds": at("builder", "/account/keys", ["account_admin", "Sign in with another key"], 403),
    run: at("owner", new URL(failed.traceUrl).pathname, [...step, name]),
    "a run without recordings": at("owner", new URL(bare.traceUrl).pathname, ["Nothing recorded", "Failed"]),
    "a deleted preview": at("owner", `/previews/${deleted.shareId}`, ["This preview was deleted"], 410),
    "a run of a deleted preview": at("owner", `/runs/${orphan.id}`, ["The preview of this run was deleted"], 410),
    "a deletion": at("owner", `/builds/${build.id}/delete`, ["Delete this build?", "Keep it"]),
    compare: at("owner", `/compare?left=${passed.id}&right=${failed.id}`, [...step, "2 of 7 steps differ", "Differs"]),
    "links to a preview": at("owner", `${previewPath}/shares`, ["Share this preview", "New link", "Ended"]),
    "links to a run": at("owner", `/runs/${failed.id}/shares`, ["Share this run", "New link", "Revoke"]),
    "a shared preview": at("nobody", links.preview, previewFacts),
    "a shared text": at("nobody", viewPath(links.preview, files[0]?.path ?? ""), ["Mind the gap."]),
    "a shared run": at("nobody", links.run, [...step, name]),
    "nothing here": at("owner", "/builds/none", ["Nothing here"], 404),
    "no such path": at("nobody", "/nowhere/at/all", ["Nothing here"], 404),
    "no such link": at("nobody", `/shared/${"0".repeat(32)}`, ["Nothing here"], 404),
    "a link that has ended": at("nobody", links.ended, ["This link has ended"], 410),
    "a missing scope": at("builder", previewPath, ["preview_upload", "Sign in with another key"], 403)
  }
}

/** Opens a page in a new browser context, and records every URL that it requests. */
export const openAs = Effect.fnUntraced(function* (who: Who, options: { readonly javaScriptEnabled: boolean }) {
  const browser = yield* Chromium
  const { cookies, host } = yield* Harbour
  const [name = "", ...value] = cookies[who].split("=")
  const context = yield* Effect.acquireRelease(
    Effect.promise(() =>
      browser.newContext({ ...options, viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" })
    ),
    (opened) => Effect.promise(() => opened.close())
  )
  if (name !== "") yield* Effect.promise(() => context.addCookies([{ name, value: value.join("="), url: host.url }]))
  const page = yield* Effect.promise(() => context.newPage())
  const asked: Array<string> = []
  page.on("request", (request) => asked.push(request.url()))
  return { page, asked }
})

export const openAll = Effect.fnUntraced(function* (options: { readonly javaScriptEnabled: boolean }) {
  return {
    nobody: yield* openAs("nobody", options),
    owner: yield* openAs("owner", options),
    newcomer: yield* openAs("newcomer", options),
    builder: yield* openAs("builder", options)
  }
})
