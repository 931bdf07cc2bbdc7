/**
 * An account that has one of everything: data that another account must not reach and that no refused request may
 * change.
 */
import { Effect, Schema } from "effect"
import { TestList } from "../../../../core/api/tests.ts"
import { CreateShareLinkResponse } from "../../../../core/api/shareLinks.ts"
import { Scope } from "../../../../core/model/ApiKey.ts"
import { frameOf, objectsOf, signIn, visit } from "../../../viewer/testing/visit.ts"
import {
  asPreviewReservation,
  finalizePreview,
  previewBody,
  registered,
  reserveFull,
  uploadFull
} from "../../testing/previews.ts"
import { newAccount, TestHost } from "../../testing/TestHost.ts"
import {
  bundle,
  commit,
  data,
  declaredFiles,
  finalize,
  put,
  reserve,
  style,
  type Account
} from "../../testing/uploads.ts"

type Scopes = readonly [Scope, ...ReadonlyArray<Scope>]

/** Every non-empty set of scopes. */
const scopeChoices: ReadonlyArray<Scopes> = Scope.literals
  .reduce<ReadonlyArray<ReadonlyArray<Scope>>>(
    (choices, scope) => [...choices, ...choices.map((choice) => [...choice, scope])],
    [[]]
  )
  .flatMap(([first, ...rest]): ReadonlyArray<Scopes> => (first === undefined ? [] : [[first, ...rest]]))

const everything: Scopes = [Scope.literals[0], ...Scope.literals.slice(1)]

/** A build with two files, from reserve to finalize. */
const readyWithFiles = Effect.fnUntraced(function* (account: Account, branch: string) {
  const reservation = yield* reserve(account, { branch, files: declaredFiles })
  yield* put(reservation.slots.bundle, bundle)
  for (const [index, content] of [style, data].entries()) yield* put(reservation.slots.files[index]!, content)
  const { status, text } = yield* finalize(account, reservation.token)
  if (status !== 201) return yield* Effect.die(new Error(`finalize answered ${status}: ${text}`))
  return reservation
})

const share = Effect.fnUntraced(function* ({ key }: Account, path: string) {
  const host = yield* TestHost
  const { json } = yield* host.call("POST", `/api/v1${path}/shares`, { key, body: {} })
  const { id, url } = yield* Schema.decodeUnknownEffect(CreateShareLinkResponse)(json)
  return { id, secret: url.slice(url.lastIndexOf("/") + 1) }
})

/** The path at which a page's frame runs, and the path of its preview's objects. */
const opened = Effect.fnUntraced(function* (path: string, cookie?: string) {
  const { text } = yield* visit("GET", path, { cookie })
  const [replay, objects] = [frameOf(text), objectsOf(text)]
  return replay === "" && objects === "" ? yield* Effect.die(new Error(`${path} opens nothing`)) : { replay, objects }
})

/** The reservation made under an `Idempotency-Key`. */
export const onceBody = previewBody()

/** A preview reserved under an `Idempotency-Key`. */
const reservedOnce = Effect.fnUntraced(function* ({ key }: Account, idempotencyKey: string) {
  const host = yield* TestHost
  const { json, status, text } = yield* host.call("POST", "/api/v1/previews", {
    key,
    body: onceBody,
    headers: { "idempotency-key": idempotencyKey }
  })
  if (status !== 201) return yield* Effect.die(new Error(`reserve answered ${status}: ${text}`))
  return yield* asPreviewReservation(json)
})

/**
 * A new account with a key for each choice of scopes, a session, and a ready and an open one of builds and previews, runs, and
 * share links, one of which is revoked. `leavingCookie` is a session for requests that end theirs. `secrets` is what must never stand in an answer to who doesn't hold it.
 */
export const newHoldings = Effect.gen(function* () {
  const { admin, call } = yield* TestHost
  const account = yield* newAccount(everything)
  const branch = `branch of ${account.name}`
  const keys = yield* Effect.forEach(scopeChoices, (scopes) =>
    Effect.map(admin.createKey({ account: account.name, name: scopes.join(" "), scopes }), ({ key }) => ({
      key,
      scopes
    }))
  )
  const build = yield* readyWithFiles(account, branch)
  const openBuild = yield* reserve(account, { branch: `open ${branch}`, commitSha: commit(2), files: declaredFiles })
  const git = { owner: account.owner, repo: account.repo, branch }
  const preview = yield* uploadFull(account, git)
  const finalized = yield* finalizePreview(account, preview.token)
  if (finalized.status !== 201) return yield* Effect.die(new Error(`finalize answered ${finalized.text}`))
  const openPreview = yield* reserveFull(account, git)
  const passed = yield* registered(account, preview.shareId, { name: `passed of ${account.name}` })
  const source = `ci:${account.name}/1`
  const failed = yield* registered(account, preview.shareId, {
    name: `failed of ${account.name}`,
    source,
    status: "failed",
    failureMessage: `why ${account.name} failed`,
    stepCount: 3,
    failedStepIndex: 1
  })
  const repository = new URLSearchParams({ org: account.owner, repo: account.repo, status: "failed" })
  const { json } = yield* call("GET", `/api/v1/tests?${repository}`, { key: account.key })
  const [test] = (yield* Schema.decodeUnknownEffect(TestList)(json)).tests
  if (test === undefined) return yield* Effect.die(new Error("the failed run is of no test"))
  const previewLink = yield* share(account, `/previews/${preview.shareId}`)
  const runLink = yield* share(account, `/test-runs/${failed.id}`)
  const revokedLink = yield* share(account, `/previews/${preview.shareId}`)
  yield* call("DELETE", `/api/v1/previews/${preview.shareId}/shares/${revokedLink.id}`, { key: account.key })
  const cookie = yield* signIn(account.key)
  const leavingCookie = yield* signIn(account.key)
  const idempotencyKey = `once-${account.name}`
  const once = yield* reservedOnce(account, idempotencyKey)
  return {
    ...account,
    branch,
    keys,
    cookie,
    leavingCookie,
    build,
    openBuild,
    preview,
    openPreview,
    runs: { passed: passed.id, failed: failed.id },
    test: test.id,
    source,
    links: { preview: previewLink, run: runLink, revoked: revokedLink },
    once: { ...once, key: idempotencyKey },
    opened: {
      build: yield* opened(`/builds/${build.id}`, cookie),
      preview: yield* opened(`/previews/${preview.shareId}`, cookie),
      sharedPreview: yield* opened(`/shared/${previewLink.secret}`),
      sharedRun: yield* opened(`/shared/${runLink.secret}`)
    },
    secrets: [
      account.key,
      ...keys.map(({ key }) => key),
      cookie.slice(cookie.indexOf("=") + 1),
      leavingCookie.slice(leavingCookie.indexOf("=") + 1),
      build.token,
      openBuild.token,
      preview.token,
      openPreview.token,
      once.token,
      previewLink.secret,
      runLink.secret,
      revokedLink.secret
    ]
  }
})

export type Holdings = Effect.Success<typeof newHoldings>
