import { assert, describe } from "@effect/vitest"
import { DateTime, Duration, Effect, Option, Result } from "effect"
import { it } from "../testing/layer.ts"
import { AccountId } from "../model/Account.ts"
import { BuildId, type Build, type BuildReservation, type BuildStatus } from "../model/Build.ts"
import { RepositoryId, type Repository } from "../model/Repository.ts"
import { ReservationId } from "../model/Reservation.ts"
import { Walk, walk, type BuildWorld, type Seen } from "../testing/buildWalk.ts"
import {
  buildStatus,
  isBilled,
  latestBuild,
  normalizeIdentity,
  onFinalize,
  onPreviewFinalize,
  onReserve,
  previewStatus,
  reservationEnd
} from "./builds.ts"
import { decideFinalize } from "./reservations.ts"
import { ShareId, type Preview, type PreviewDeclaration, type PreviewStatus } from "../model/Preview.ts"

const start = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
const minutes = (n: number) => DateTime.addDuration(start, Duration.minutes(n))
const identity = { branch: "main", platform: "ios", commitSha: "A".repeat(40) } as const

const repository = (account: string): Repository => ({
  id: RepositoryId.make(`repository of ${account}`),
  accountId: AccountId.make(account),
  owner: account,
  repo: "app",
  linkedAt: start
})

const reservation = (n: number, at: DateTime.Utc, account: string, build: string, content = "a"): BuildReservation => ({
  id: ReservationId.make(String(n).padStart(6, "0")),
  tokenHash: `token ${n}`,
  accountId: AccountId.make(account),
  buildId: BuildId.make(build),
  reservedAt: at,
  expiresAt: DateTime.addDuration(at, Duration.hours(1)),
  declaration: {
    contentHash: content,
    bundleSizeBytes: content.length,
    bundleContentType: "text/javascript",
    isTransformed: false,
    files: []
  }
})

const reserveAt = (build: Build | undefined, n: number, at: DateTime.Utc) =>
  onReserve(build, {
    id: BuildId.make(`build ${n}`),
    repository: repository("a"),
    identity,
    reservation: reservation(n, at, "a", build?.id ?? `build ${n}`)
  })

/** The effect of an event on a build in one of these states. */
interface Transition {
  readonly from: ReadonlyArray<"none" | BuildStatus>
  readonly trigger: "reserve" | "finalize" | "time"
  readonly to: BuildStatus
  /** Whether it then shows another declaration. */
  readonly shows: "the same" | "another"
}

const transitions: ReadonlyArray<Transition> = [
  { from: ["none"], trigger: "reserve", to: "uploading", shows: "another" },
  { from: ["uploading", "expired"], trigger: "reserve", to: "uploading", shows: "another" },
  { from: ["uploading"], trigger: "time", to: "expired", shows: "the same" },
  { from: ["uploading"], trigger: "finalize", to: "ready", shows: "the same" },
  { from: ["ready"], trigger: "reserve", to: "ready", shows: "the same" },
  { from: ["ready"], trigger: "finalize", to: "ready", shows: "another" },
  { from: ["ready"], trigger: "time", to: "ready", shows: "the same" }
]

describe("the life of a build", () => {
  const uploading = reserveAt(undefined, 1, start)
  const ready = onFinalize(uploading, reservation(1, start, "a", uploading.id), {
    now: minutes(5),
    hostedPrefix: "x/"
  }).build
  const inState = {
    none: { build: undefined, now: start },
    uploading: { build: uploading, now: minutes(10) },
    expired: { build: uploading, now: minutes(60) },
    ready: { build: ready, now: minutes(10) }
  } as const

  const finalized = (build: Build | undefined, now: DateTime.Utc): Build => {
    if (build === undefined) return assert.fail("nothing can be finalized without a reservation")
    // A ready build is finalized again by a second reservation.
    const which = buildStatus(build, now) === "ready" ? 2 : 1
    return onFinalize(build, reservation(which, start, "a", build.id), { now, hostedPrefix: "y/" }).build
  }

  const after = (trigger: Transition["trigger"], build: Build | undefined, now: DateTime.Utc) => {
    if (trigger === "time") return { build, now: DateTime.addDuration(now, Duration.hours(2)) }
    return { build: trigger === "reserve" ? reserveAt(build, 2, now) : finalized(build, now), now }
  }

  for (const { from, shows, to, trigger } of transitions) {
    for (const state of from) {
      it(`${state} + ${trigger} → ${to}`, () => {
        const before = inState[state]
        if (before.build !== undefined) assert.strictEqual(buildStatus(before.build, before.now), state)
        const { build, now } = after(trigger, before.build, before.now)
        assert.isDefined(build)
        if (build === undefined) return
        assert.strictEqual(buildStatus(build, now), to)
        if (before.build !== undefined) assert.strictEqual(build.id, before.build.id)
        assert.strictEqual(build.currentUpload === before.build?.currentUpload ? "the same" : "another", shows)
      })
    }
  }
})

describe("builds", () => {
  it("a later reservation of a build never ends before an earlier one", () => {
    const build = reserveAt(undefined, 1, start)
    assert.deepStrictEqual(reservationEnd(build, minutes(30)), minutes(60))
    assert.deepStrictEqual(reservationEnd(build, minutes(90)), minutes(90))
    assert.deepStrictEqual(reservationEnd(undefined, minutes(30)), minutes(30))
  })

  it("there is no latest build among none, or among expired ones", () => {
    assert.isUndefined(latestBuild([], start))
    assert.isUndefined(latestBuild([reserveAt(undefined, 1, start)], minutes(60)))
  })

  it("the instant at which a reservation ends is too late", () => {
    const build = reserveAt(undefined, 1, start)
    assert.strictEqual(buildStatus(build, minutes(59)), "uploading" satisfies BuildStatus)
    assert.strictEqual(buildStatus(build, minutes(60)), "expired" satisfies BuildStatus)
  })
})

/** A world that consists only of the rules: two accounts with a repository each, builds and reservations in Maps. */
const rulesAlone = (): BuildWorld<ReservationId> => {
  const builds = new Map<string, Build>()
  const reservations = new Map<string, BuildReservation>()
  const arrived = new Map<string, boolean>()
  let now = start
  let count = 0

  const seen = (build: Build, shown: string): Seen => {
    const upload = reservations.get(shown)
    const status = buildStatus(build, now)
    return { id: build.id, status, text: JSON.stringify([build.id, status, upload, build.createdAt, build.readyAt]) }
  }
  const of = (who: 0 | 1) => Array.from(builds.values()).filter(({ accountId }) => accountId === String(who))

  return {
    reserve: ({ branch, commit, content, who }) =>
      Effect.sync(() => {
        const n = ++count
        const wanted = normalizeIdentity({ branch, platform: "ios", commitSha: String(commit).repeat(40) })
        const before = of(who).find((one) => one.branch === wanted.branch && one.commitSha === wanted.commitSha)
        const made = reservation(n, now, String(who), before?.id ?? `build ${n}`, content)
        const next = { ...made, expiresAt: reservationEnd(before, made.expiresAt) }
        const build = onReserve(before, {
          id: BuildId.make(`build ${n}`),
          repository: repository(String(who)),
          identity: wanted,
          reservation: next
        })
        builds.set(build.id, build)
        reservations.set(next.id, next)
        return { id: build.id, ticket: next.id }
      }),
    put: (ticket, right) => Effect.sync(() => void arrived.set(ticket, right)),
    finalize: (who, ticket) =>
      Effect.sync(() => {
        const found = reservations.get(ticket)
        const build = found && builds.get(found.buildId)
        if (found === undefined || build === undefined) return "not_found"
        const step = decideFinalize(found, AccountId.make(String(who)), now)
        if (Result.isFailure(step)) return step.failure.code
        if (step.success === "answer-again") return seen(build, found.id)
        if (arrived.get(ticket) !== true) return "upload_incomplete"
        const next = onFinalize(build, found, { now, hostedPrefix: `hosted/${ticket}/` })
        builds.set(build.id, next.build)
        reservations.set(ticket, next.reservation)
        return seen(next.build, ticket)
      }),
    read: (who, id) =>
      Effect.sync(() =>
        Option.getOrUndefined(
          Option.fromUndefinedOr(of(who).find((one) => one.id === id)).pipe(
            Option.map((build) => seen(build, build.currentUpload))
          )
        )
      ),
    latest: (who, branch) =>
      Effect.sync(() => {
        const build = latestBuild(
          of(who).filter((one) => one.branch === branch),
          now
        )
        return build && seen(build, build.currentUpload)
      }),
    delete: (who, id) =>
      Effect.sync(() => {
        if (builds.get(id)?.accountId !== String(who)) return false
        builds.delete(id)
        for (const [token, one] of reservations) if (one.buildId === id) reservations.delete(token)
        return true
      }),
    wait: (n) => Effect.sync(() => void (now = DateTime.addDuration(now, Duration.minutes(n))))
  }
}

describe("whatever is sent, in whatever order", () => {
  it.effect.prop(
    "the rules keep what the interface promises",
    { steps: Walk },
    ({ steps }) => walk(rulesAlone(), steps),
    {
      arbitrary: { runs: 500 }
    }
  )
})

const declaration: PreviewDeclaration = {
  contentHash: "a",
  bundleSizeBytes: 1,
  bundleContentType: "text/javascript",
  isTransformed: false,
  files: [],
  recordings: [],
  git: {}
}

const reserved = (more: Partial<PreviewDeclaration> = {}): Preview => ({
  id: ReservationId.make("1"),
  tokenHash: "token",
  accountId: AccountId.make("a"),
  reservedAt: start,
  expiresAt: minutes(60),
  shareId: ShareId.make("share"),
  declaration: { ...declaration, ...more }
})

/** The effect of an event on a preview in one of these states. */
interface PreviewTransition {
  readonly from: "none" | PreviewStatus
  readonly trigger: "reserve" | "finalize" | "time"
  readonly to: PreviewStatus
}

const previewTransitions: ReadonlyArray<PreviewTransition> = [
  { from: "none", trigger: "reserve", to: "uploading" },
  { from: "uploading", trigger: "time", to: "expired" },
  { from: "uploading", trigger: "finalize", to: "ready" },
  { from: "ready", trigger: "time", to: "ready" }
]

describe("the life of a preview", () => {
  const inState = {
    none: undefined,
    uploading: { preview: reserved(), now: minutes(10) },
    expired: { preview: reserved(), now: minutes(60) },
    ready: { preview: onPreviewFinalize(reserved(), { now: minutes(5), hostedPrefix: "hosted/1/" }), now: minutes(10) }
  }

  const after = (
    trigger: PreviewTransition["trigger"],
    before: { readonly preview: Preview; readonly now: DateTime.Utc }
  ) => {
    if (trigger === "time") return { ...before, now: DateTime.addDuration(before.now, Duration.hours(2)) }
    return { ...before, preview: onPreviewFinalize(before.preview, { now: before.now, hostedPrefix: "hosted/2/" }) }
  }

  for (const { from, to, trigger } of previewTransitions) {
    it(`${from} + ${trigger} → ${to}`, () => {
      const before = inState[from]
      const { now, preview } = before === undefined ? { preview: reserved(), now: start } : after(trigger, before)
      if (before !== undefined) {
        assert.strictEqual(previewStatus(before.preview, before.now), from)
        assert.strictEqual(preview.shareId, before.preview.shareId)
      }
      assert.strictEqual(previewStatus(preview, now), to)
    })
  }
})

describe("previews", () => {
  it("the instant at which a reservation ends is too late", () => {
    assert.strictEqual(previewStatus(reserved(), minutes(59)), "uploading" satisfies PreviewStatus)
    assert.strictEqual(previewStatus(reserved(), minutes(60)), "expired" satisfies PreviewStatus)
  })

  it("finalizing says when and where, and changes nothing else", () => {
    const before = reserved({ entry: "index.js" })
    const after = onPreviewFinalize(before, { now: minutes(5), hostedPrefix: "hosted/1/" })
    assert.deepStrictEqual(after, { ...before, finalizedAt: minutes(5), hostedPrefix: "hosted/1/" })
    assert.isUndefined(before.finalizedAt)
  })

  it("are billed as test runs when they say exactly so", () => {
    assert.isTrue(isBilled(reserved({ billingKind: "test_run" })))
    assert.isFalse(isBilled(reserved()))
    for (const billingKind of ["", "Test_Run", "test_run ", "test-run", "demo"]) {
      assert.isFalse(isBilled(reserved({ billingKind })), billingKind)
    }
  })
})
