/** The random walks of core/testing, over real HTTP on every set of engines. */
import { Effect, Clock, Duration } from "effect"
import { TestClock } from "effect/testing"
import { layer } from "../../core/testing/layer.ts"
import { Walk, walk, type BuildWorld, type Seen } from "../../core/testing/buildWalk.ts"
import { testEngines } from "./testing/engines.ts"
import type { Engines } from "../node/engines/engines.ts"
import { newAccount, TestHost, type HttpResponse } from "./testing/TestHost.ts"
import { asProblem, asRow, bytes, commit, finalize, latest, put, read, reserve, sha256 } from "./testing/uploads.ts"
import { PreviewWalk, walkPreviews, type PreviewWorld } from "../../core/testing/previewWalk.ts"
import * as previews from "./testing/previews.ts"
import { BuildId } from "../../core/model/Build.ts"
import { ShareId } from "../../core/model/Preview.ts"
import { TestRunId } from "../../core/model/TestRun.ts"
import type { SweepPosition, Swept } from "../../core/model/Sweep.ts"
import { SweepWalk, sweptAfter, walkSweeping, type SweepWorld } from "../../core/testing/sweepWalk.ts"

const seen = Effect.fnUntraced(function* (answer: HttpResponse) {
  const { id, status } = yield* asRow(answer.json)
  return { id, status, text: answer.text } satisfies Seen
})

const outcome = Effect.fnUntraced(function* (answer: HttpResponse) {
  return answer.status === 201 ? yield* seen(answer) : (yield* asProblem(answer.json)).code
})

const overHttp = Effect.gen(function* () {
  const host = yield* TestHost
  const accounts = [yield* newAccount(["builds", "delete"]), yield* newAccount(["builds", "delete"])] as const
  const found = (answer: Effect.Effect<HttpResponse, never, TestHost>) =>
    Effect.flatMap(answer, (one) => (one.status === 200 ? seen(one) : Effect.undefined)).pipe(
      Effect.provideService(TestHost, host),
      Effect.orDie
    )
  type Ticket = {
    readonly token: string
    readonly putUrl: string
    readonly contentType: string
    readonly content: string
  }
  const world: BuildWorld<Ticket> = {
    reserve: (step) =>
      reserve(accounts[step.who], {
        branch: step.branch,
        commitSha: commit(step.commit),
        contentHash: sha256(bytes(step.content)),
        bundleSizeBytes: step.content.length
      }).pipe(
        Effect.map(({ id, slots, token }) => ({ id, ticket: { ...slots.bundle, token, content: step.content } })),
        Effect.provideService(TestHost, host),
        Effect.orDie
      ),
    put: (ticket, right) => Effect.asVoid(put(ticket, bytes(right ? ticket.content : ticket.content.toUpperCase()))),
    finalize: (who, { token }) =>
      finalize(accounts[who], token).pipe(Effect.flatMap(outcome), Effect.provideService(TestHost, host), Effect.orDie),
    read: (who, id) => found(read(accounts[who], id)),
    latest: (who, branch) => found(latest(accounts[who], { branch })),
    delete: Effect.fnUntraced(function* (who: 0 | 1, id: string) {
      const answer = yield* host.call("DELETE", `/api/v1/builds/${id}`, { key: accounts[who].key })
      return answer.status === 204
    }),
    wait: (minutes) => TestClock.adjust(`${minutes} minutes`)
  }
  return world
})

// The random walks over previews and runs of core/testing, over real HTTP on every set of engines.

interface Ticket {
  readonly token: string
  readonly putUrl: string
  readonly contentType: string
  readonly content: string
}

const code = (answer: HttpResponse) => Effect.map(asProblem(answer.json), (problem) => problem.code)

const seenPreview = Effect.fnUntraced(function* (answer: HttpResponse) {
  const { status } = yield* previews.asMetadata(answer.json)
  return { status, text: answer.text }
})

const previewsOverHttp = Effect.gen(function* () {
  const host = yield* TestHost
  const scopes = ["preview_upload", "test_runs", "delete"] as const
  const accounts = [yield* newAccount(scopes), yield* newAccount(scopes)] as const
  const onHost = <A, E>(effect: Effect.Effect<A, E, TestHost>) =>
    effect.pipe(Effect.provideService(TestHost, host), Effect.orDie)

  const remove = Effect.fnUntraced(function* (who: 0 | 1, path: string) {
    return (yield* host.call("DELETE", `/api/v1/${path}`, { key: accounts[who].key })).status === 204
  })

  const world: PreviewWorld<Ticket> = {
    reserve: Effect.fnUntraced(function* (who: 0 | 1, content: string) {
      const { owner, repo } = accounts[who]
      const declared = { contentHash: sha256(bytes(content)), bundleSizeBytes: content.length, owner, repo }
      const answer = yield* previews.postPreview(accounts[who], previews.previewBody(declared))
      const { shareId, slots, token } = yield* previews.asPreviewReservation(answer.json)
      return { shareId, ticket: { ...slots.bundle, token, content } }
    }, onHost),
    put: ({ content, ...slot }, right) => Effect.asVoid(put(slot, bytes(right ? content : content.toUpperCase()))),
    finalize: Effect.fnUntraced(function* (who: 0 | 1, { token }: Ticket) {
      const answer = yield* previews.finalizePreview(accounts[who], token)
      return answer.status === 201 ? yield* seenPreview(answer) : yield* code(answer)
    }, onHost),
    read: Effect.fnUntraced(function* (who: 0 | 1, shareId: string) {
      const answer = yield* host.call("GET", `/api/v1/previews/${shareId}`, { key: accounts[who].key })
      return answer.status === 200 ? yield* seenPreview(answer) : undefined
    }, onHost),
    register: Effect.fnUntraced(function* (who: 0 | 1, shareId: string, status: string) {
      const answer = yield* previews.register(accounts[who], previews.runBody(accounts[who], shareId, { status }))
      return answer.status === 201 ? yield* previews.asRun(answer.json) : yield* code(answer)
    }, onHost),
    runs: Effect.fnUntraced(function* (who: 0 | 1) {
      const { key, owner, repo } = accounts[who]
      const answer = yield* host.call("GET", `/api/v1/test-runs?org=${owner}&repo=${repo}&limit=100`, { key })
      return (yield* previews.asRuns(answer.json)).testRuns
    }, onHost),
    delete: (who, shareId) => remove(who, `previews/${shareId}`),
    deleteRun: (who, id) => remove(who, `test-runs/${id}`),
    wait: (minutes) => TestClock.adjust(`${minutes} minutes`)
  }
  return world
})

/** How many walks: fewer in memory, where every run of `npm test` draws others. */
const runsOn = ({ metadata }: Engines<unknown>, runs: number) => (metadata === "memory" ? Math.ceil(runs / 3) : runs)

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`whatever is sent, on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect.prop(
      "the host keeps what the interface promises of builds",
      { steps: Walk },
      ({ steps }) => Effect.flatMap(overHttp, (world) => walk(world, steps)),
      { arbitrary: { runs: runsOn(engines, 25) } }
    )
    it.effect.prop(
      "the host keeps what the interface promises of previews and runs",
      { steps: PreviewWalk },
      ({ steps }) => Effect.flatMap(previewsOverHttp, (world) => walkPreviews(world, steps)),
      { arbitrary: { runs: runsOn(engines, 25) } }
    )
  })
}

// The random walks with sweeps of core/testing, over real HTTP on every set of engines.

const refusal = Effect.fnUntraced(function* ({ json, status }: HttpResponse) {
  return status === 201 ? undefined : (yield* asProblem(json)).code
})

/** The amounts that sweeps delete of a walk's resources, apart from deletions on request. */
const ofWalks: ReadonlyArray<Swept["rule"]> = [
  "abandoned_builds",
  "abandoned_uploads",
  "superseded_uploads",
  "abandoned_previews",
  "previews",
  "runs",
  "builds"
]

const sweepsOverHttp = Effect.gen(function* () {
  const host = yield* TestHost
  // A host keeps the list of accounts for a minute.
  yield* TestClock.adjust("2 minutes")
  const scopes = ["builds", "preview_upload", "test_runs", "delete"] as const
  const accounts = [yield* newAccount(scopes), yield* newAccount(scopes)] as const
  const { buildsPerBranch, ...kept } = sweptAfter
  const rules = { previews: Duration.minutes(kept.previews), runs: Duration.minutes(kept.runs), buildsPerBranch }
  yield* host.admin.retain({ account: accounts[1].name, rules, forget: [] })

  const onHost = <A, E>(effect: Effect.Effect<A, E, TestHost>) =>
    effect.pipe(Effect.provideService(TestHost, host), Effect.orDie)
  let made = 0
  // Of few contents, so that uploads share them.
  const newContent = Effect.as(TestClock.adjust("1 millis"), () => `content ${++made % 3}`)

  const world: SweepWorld = {
    reserve: Effect.fnUntraced(function* (who: 0 | 1, branch: string, nth: number) {
      const content = (yield* newContent)()
      const declared = { contentHash: sha256(bytes(content)), bundleSizeBytes: content.length }
      const made = yield* reserve(accounts[who], { branch, commitSha: commit(nth), ...declared })
      yield* put(made.slots.bundle, bytes(content))
      return { id: made.id, token: made.token, content }
    }, onHost),
    reservePreview: Effect.fnUntraced(function* (who: 0 | 1) {
      const content = (yield* newContent)()
      const { owner, repo } = accounts[who]
      const declared = { contentHash: sha256(bytes(content)), bundleSizeBytes: content.length, owner, repo }
      const { shareId, slots, token } = yield* previews.reservePreview(accounts[who], declared)
      yield* put(slots.bundle, bytes(content))
      return { id: shareId, token, content }
    }, onHost),
    finalize: (who, token) => onHost(Effect.flatMap(finalize(accounts[who], token), refusal)),
    finalizePreview: (who, token) => onHost(Effect.flatMap(previews.finalizePreview(accounts[who], token), refusal)),
    register: (who, shareId) => onHost(Effect.map(previews.registered(accounts[who], shareId), ({ id }) => id)),
    delete: Effect.fnUntraced(function* (who: 0 | 1, path: string) {
      const { status, text } = yield* host.call("DELETE", `/api/v1/${path}`, { key: accounts[who].key })
      if (status !== 204) return yield* Effect.die(new Error(`DELETE answered ${status}: ${text}`))
    }),
    keep: (named, isKept) => {
      const resource =
        "build" in named
          ? { build: BuildId.make(named.build) }
          : "preview" in named
            ? { preview: ShareId.make(named.preview) }
            : { run: TestRunId.make(named.run) }
      return Effect.orDie(Effect.asVoid(isKept ? host.admin.keep({ resource }) : host.admin.release({ resource })))
    },
    build: Effect.fnUntraced(function* (who: 0 | 1, id: string) {
      const answer = yield* read(accounts[who], id)
      if (answer.status !== 200) return undefined
      const { status } = yield* asRow(answer.json)
      return status === "ready" ? `ready ${yield* host.hostedBundle(accounts[who].key, id)}` : status
    }, onHost),
    preview: Effect.fnUntraced(function* (who: 0 | 1, shareId: string) {
      const answer = yield* previews.readPreview(accounts[who], shareId)
      if (answer.status !== 200) return undefined
      const { status } = yield* previews.asMetadata(answer.json)
      return status === "ready" ? `ready ${yield* host.hostedObject(accounts[who].key, shareId, "bundle")}` : status
    }, onHost),
    latest: Effect.fnUntraced(function* (who: 0 | 1, branch: string) {
      const answer = yield* latest(accounts[who], { branch })
      return answer.status === 200 ? (yield* asRow(answer.json)).id : undefined
    }, onHost),
    runs: (who) =>
      onHost(
        Effect.map(previews.listed(accounts[who], { limit: "100" }), ({ testRuns }) => testRuns.map(({ id }) => id))
      ),
    sweep: Effect.fnUntraced(function* (dryRun: boolean) {
      let count = 0
      let from: SweepPosition | undefined
      do {
        const step = yield* host.admin.sweepStep({ dryRun, ...(from === undefined ? {} : { from }) })
        for (const swept of step.swept) {
          if (ofWalks.includes(swept.rule)) count += swept.count
          if (swept.rule === "orphans") return yield* Effect.die(new Error("there are orphaned objects"))
        }
        from = step.next
      } while (from !== undefined)
      return count
    }, Effect.orDie),
    wait: (minutes) => TestClock.adjust(`${minutes} minutes`),
    now: Effect.map(Clock.currentTimeMillis, (millis) => millis / 60_000)
  }
  return world
})

const sweep = { every: undefined, grace: Duration.minutes(sweptAfter.grace), batch: 2, pause: Duration.zero }

for (const engines of testEngines()) {
  layer(TestHost.layer(engines, { sweep }))(
    `random uploads and deletions, on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect.prop(
        "sweeps delete exactly what they should",
        { steps: SweepWalk },
        ({ steps }) => Effect.flatMap(sweepsOverHttp, (world) => walkSweeping(world, steps)),
        // A walk that fails leaves resources, for which every smaller one would fail too.
        { arbitrary: { runs: runsOn(engines, 15), maxShrinks: 0 } }
      )
    }
  )
}
