/**
 * How many requests of a busy account delay one of another account. The host counts: it records the arrival of each request, when it
 * begins with a permit, and its response. A client reads responses later, so what it counts depends on the load of the machine.
 */
import { assert } from "@effect/vitest"
import { Effect, Fiber, Layer, type Scope } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { channel } from "node:diagnostics_channel"
import type { IncomingMessage, ServerResponse } from "node:http"
import { CurrentPermit } from "../../../core/service/RequestScheduler.ts"
import { signIn, visit } from "../../viewer/testing/visit.ts"
import type { Engines } from "../../node/engines/engines.ts"
import { enginesAndWaysToUpload } from "../testing/engines.ts"
import { layer } from "../../../core/testing/layer.ts"
import { readyPreview, runBody } from "../testing/previews.ts"
import { newAccount, TestHost, type HttpResponse } from "../testing/TestHost.ts"
import { bundle, commit, finalize, latest, put, reserve } from "../testing/uploads.ts"
import { eventually } from "../testing/watched.ts"

/** The most requests of a busy account that may finish during one of another account. */
const maxFinished = 8
/** How many requests of an account a host processes at once. */
const maxConcurrent = 5

type Load = Effect.Effect<unknown, unknown, TestHost | Scope.Scope>

/** What a host did with requests of the busy account during a request of the other account. */
interface During {
  readonly request: string
  /** How many had a permit when it arrived, how many permits were given during it, and how many finished. */
  readonly running: number
  readonly begun: number
  readonly finished: number
}

/**
 * The slots from the arrival of a request to its response: its own, and one for as many requests of the busy account as a host
 * processes at once.
 */
const slotsOf = ({ begun, running }: During): number => 1 + Math.ceil((running + begun) / maxConcurrent)

/** Counts what a host does. The other account has these `credentials`, and all other requests count as those of the busy account. */
const makeCounter = () => {
  const busy = { begun: 0, running: 0, finished: 0 }
  const credentials = new Set<unknown>()
  const during: Array<During> = []
  const isOfOther = ({ headers }: Pick<IncomingMessage, "headers">): boolean =>
    [headers.authorization, headers.cookie, headers["x-request-id"]].some((value) => credentials.has(value))

  const running = new WeakSet<object>()
  const begin = (source: IncomingMessage) => {
    if (running.has(source) || isOfOther(source)) return
    running.add(source)
    busy.begun += 1
    busy.running += 1
  }
  const leave = (source: IncomingMessage) => {
    if (running.delete(source)) busy.running -= 1
  }
  const layerPermits = HttpRouter.middleware(
    (app) =>
      Effect.gen(function* () {
        const permit = yield* CurrentPermit
        const source = (yield* HttpServerRequest.HttpServerRequest).source as IncomingMessage
        const begins = Effect.sync(() => begin(source))
        // Otherwise the host learns the account from the URL, and the request waits for it later.
        if ((source.headers.authorization ?? source.headers.cookie) !== undefined) yield* begins
        const leaves = Effect.sync(() => leave(source))
        return yield* Effect.provideService(app, CurrentPermit, {
          ...permit,
          attribute: (account, key) => Effect.andThen(permit.attribute(account, key), begins),
          pause: Effect.andThen(leaves, permit.pause),
          resume: Effect.andThen(permit.resume, begins)
        }).pipe(Effect.ensuring(leaves))
      }),
    { global: true }
  )
  const counted = <E>(engines: Engines<E>): Engines<E> => ({
    ...engines,
    routes: Layer.merge(engines.routes, layerPermits)
  })

  const arrives = (message: unknown) => {
    const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse }
    const before = { ...busy }
    response.once("prefinish", () => {
      if (!isOfOther(request)) {
        busy.finished += 1
        return
      }
      during.push({
        request: `${request.method} ${request.url?.slice(0, 24)}`,
        running: before.running,
        begun: busy.begun - before.begun,
        finished: busy.finished - before.finished
      })
    })
  }
  const arrivals = channel("http.server.request.start")
  const listening = Effect.acquireRelease(
    Effect.sync(() => arrivals.subscribe(arrives)),
    () => Effect.sync(() => void arrivals.unsubscribe(arrives))
  )
  return { busy, counted, credentials, during, listening }
}

const succeeded =
  (status: number) => (request: Effect.Effect<Pick<HttpResponse, "status" | "text">, never, TestHost>) =>
    Effect.tap(request, (answer) => Effect.sync(() => assert.strictEqual(answer.status, status, answer.text)))

/** An account with a test run, and what it can request. */
const makeAccount = Effect.gen(function* () {
  const host = yield* TestHost
  const account = yield* newAccount(["builds", "preview_upload", "test_runs"])
  const { shareId } = yield* readyPreview(account)
  const cookie = yield* signIn(account.key)
  let made = 0
  const upload: Load = Effect.gen(function* () {
    const { slots, token } = yield* reserve(account, { commitSha: commit((made += 1)) })
    yield* succeeded(200)(put(slots.bundle, bundle, { "x-request-id": account.name }))
    yield* succeeded(201)(finalize(account, token))
  })
  const list: Load = Effect.suspend(() =>
    succeeded(200)(
      host.call("GET", `/api/v1/test-runs?org=${account.owner}&repo=${account.repo}&limit=100`, { key: account.key })
    )
  )
  const register: Load = Effect.suspend(() =>
    succeeded(201)(
      host.call("POST", "/api/v1/test-runs", {
        key: account.key,
        body: runBody(account, shareId, { name: `Test ${(made += 1)}` })
      })
    )
  )
  const page: Load = Effect.suspend(() => succeeded(200)(visit("GET", "/", { cookie })))
  const read: Load = Effect.suspend(() => succeeded(200)(latest(account)))
  const credentials = [`Bearer ${account.key}`, cookie, account.name]
  return { upload, list, register, page, read, credentials }
})

for (const engines of enginesAndWaysToUpload()) {
  const { busy: counts, counted, credentials, during, listening } = makeCounter()
  layer(TestHost.layer(counted(engines)))(`a busy account on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect(`delays a request of another account by few of its own`, function* () {
      yield* listening
      const busy = yield* makeAccount
      const other = yield* makeAccount
      for (const credential of other.credentials) credentials.add(credential)
      const otherRequests = Effect.gen(function* () {
        during.length = 0
        for (const one of [other.upload, other.list, other.register, other.page, other.read]) {
          yield* one
          yield* one
        }
        assert.isAtLeast(during.length, 12)
        return Math.max(...during.map(slotsOf))
      })
      for (let run = 0; run < 20; run += 1) yield* busy.register
      // From here on, the host knows the account of each key and session when a request arrives.
      yield* busy.page
      const unloaded = yield* otherRequests

      const loads: Record<string, ReadonlyArray<readonly [load: Load, times: number]>> = {
        "100 uploads": [[busy.upload, 100]],
        "128 registrations": [[busy.register, 128]],
        "128 lists": [[busy.list, 128]],
        "32 lists": [[busy.list, 32]],
        "32 pages": [[busy.page, 32]],
        "all of them": [
          [busy.upload, 100],
          [busy.register, 128],
          [busy.list, 128],
          [busy.page, 32]
        ]
      }
      for (const [name, load] of Object.entries(loads)) {
        const begun = counts.finished
        const busyFibers = yield* Effect.forEach(load, ([one, times]) =>
          Effect.forkChild(Effect.replicateEffect(Effect.forever(one), times, { concurrency: "unbounded" }))
        )
        yield* eventually(() => counts.finished >= begun + 32)
        const slots = yield* otherRequests
        const seen = `${name}: ${during.map((one) => JSON.stringify(one)).join("\n")}`
        assert.isAtMost(Math.max(...during.map(({ finished }) => finished)), maxFinished, seen)
        assert.isAtMost(slots, unloaded + 1, seen)
        yield* Fiber.interruptAll(busyFibers)
      }
    })
  })
}
