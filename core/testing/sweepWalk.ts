/**
 * Random walks over the life of resources: builds, previews and runs are created, deleted and kept, time passes, and sweeps delete
 * garbage and resources that retention rules expire. Each step compares the store with a model. A walk runs on a
 * {@link SweepWorld}: a host on any adapter.
 */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

const index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))
const who = Schema.Literals([0, 1])
const branch = Schema.Literals(["main", "side"])

/** One step of a walk. `upload`, `build`, `preview` and `run` count back from the last one made. */
const SweepStep = Schema.Union([
  Schema.Struct({ do: Schema.Literal("reserve"), who, branch, commit: Schema.Literals([1, 2, 3]) }),
  Schema.Struct({ do: Schema.Literal("ready"), who, branch, commit: Schema.Literals([1, 2, 3]) }),
  Schema.Struct({ do: Schema.Literal("finalize"), upload: index }),
  Schema.Struct({ do: Schema.Literal("delete"), build: index }),
  Schema.Struct({ do: Schema.Literal("keep"), build: index, kept: Schema.Boolean }),
  Schema.Struct({ do: Schema.Literal("reservePreview"), who }),
  Schema.Struct({ do: Schema.Literal("finalizePreview"), preview: index }),
  Schema.Struct({ do: Schema.Literal("register"), preview: index }),
  Schema.Struct({ do: Schema.Literal("deletePreview"), preview: index }),
  Schema.Struct({ do: Schema.Literal("keepPreview"), preview: index, kept: Schema.Boolean }),
  Schema.Struct({ do: Schema.Literal("keepRun"), run: index, kept: Schema.Boolean }),
  Schema.Struct({ do: Schema.Literal("wait"), minutes: Schema.Literals([20, 45, 75]) }),
  Schema.Struct({ do: Schema.Literal("sweep") })
])
type SweepStep = typeof SweepStep.Type
export const SweepWalk = Schema.Array(SweepStep).check(Schema.isBetweenLength(12, 40))

/** In minutes. The second account has rules, the first one has none. */
export const sweptAfter = { reservation: 60, grace: 30, runs: 60, previews: 120, buildsPerBranch: 1 }

/** Identifies what a step makes: its account, and its token. */
interface Ticket {
  readonly id: string
  readonly token: string
  /** What it uploads, which differs for each. */
  readonly content: string
}

type Who = 0 | 1

/** Each creation takes at least a millisecond, so that no two resources have the same creation time. */
export interface SweepWorld {
  /** Reserves and PUTs. */
  readonly reserve: (who: Who, branch: string, commit: number) => Effect.Effect<Ticket>
  readonly reservePreview: (who: Who) => Effect.Effect<Ticket>
  /** The code of the refusal, if it is refused. */
  readonly finalize: (who: Who, token: string) => Effect.Effect<string | undefined>
  readonly finalizePreview: (who: Who, token: string) => Effect.Effect<string | undefined>
  /** The run's id. */
  readonly register: (who: Who, shareId: string) => Effect.Effect<string>
  readonly delete: (who: Who, path: string) => Effect.Effect<void>
  readonly keep: (
    resource: { readonly build: string } | { readonly preview: string } | { readonly run: string },
    kept: boolean
  ) => Effect.Effect<void>
  /** Its status and, where it is ready, what it hosts. */
  readonly build: (who: Who, id: string) => Effect.Effect<string | undefined>
  readonly preview: (who: Who, shareId: string) => Effect.Effect<string | undefined>
  readonly latest: (who: Who, branch: string) => Effect.Effect<string | undefined>
  /** The ids of the account's runs. */
  readonly runs: (who: Who) => Effect.Effect<ReadonlyArray<string>>
  /** How many items a whole sweep deleted, or would delete. */
  readonly sweep: (dryRun: boolean) => Effect.Effect<number>
  readonly wait: (minutes: number) => Effect.Effect<void>
  /** The time in minutes. */
  readonly now: Effect.Effect<number>
}

interface Upload extends Ticket {
  readonly end: number
  finalizedAt?: number
  supersededAt?: number
}

interface Build {
  readonly who: Who
  readonly id: string
  readonly branch: string
  readonly commit: number
  uploads: Array<Upload>
  /** The last reservation's end, also when it was swept. */
  end: number
  /** How many reservations there were before the one that places it: of all, and of those that were finalized. */
  reservedBy: number
  readyBy?: number
  currentUpload?: Upload
  isKept: boolean
}

interface Preview extends Ticket {
  readonly who: Who
  readonly end: number
  finalizedAt?: number
  isKept: boolean
}

interface Run {
  readonly who: Who
  readonly id: string
  readonly preview: Preview
  readonly at: number
  isKept: boolean
}

/** What there must be. */
class Model {
  builds: Array<Build> = []
  previews: Array<Preview> = []
  runs: Array<Run> = []
  /** Uploads in the order of their reservation, with their builds, including deleted ones. */
  readonly uploads: Array<{ readonly build: Build; readonly upload: Upload }> = []
  readonly everyPreview: Array<Preview> = []

  reserve(who: Who, branch: string, commit: number, ticket: Ticket, now: number): Upload {
    const known = this.builds.find((one) => one.who === who && one.branch === branch && one.commit === commit)
    const end = Math.max(known?.end ?? 0, now + sweptAfter.reservation)
    const upload: Upload = { ...ticket, end }
    if (known !== undefined) assert.strictEqual(ticket.id, known.id, "an identity got a second id")
    else
      assert.isFalse(
        this.uploads.some(({ build }) => build.id === ticket.id),
        "a deleted build exists again"
      )
    const build: Build = known ?? { who, id: ticket.id, branch, commit, uploads: [], end, reservedBy: 0, isKept: false }
    if (known === undefined) this.builds.push(build)
    build.uploads.push(upload)
    build.end = end
    build.reservedBy = this.uploads.push({ build, upload }) - 1
    return upload
  }

  /** The code that a finalize of it is refused with. */
  refusal(build: Build, upload: Upload, now: number): string | undefined {
    if (!this.builds.includes(build) || !build.uploads.includes(upload)) return "not_found"
    return upload.finalizedAt === undefined && now >= upload.end ? "reservation_expired" : undefined
  }

  finalize(build: Build, upload: Upload, now: number): void {
    if (upload.finalizedAt !== undefined) return
    upload.finalizedAt = now
    for (const one of build.uploads) {
      if (one !== upload && one.finalizedAt !== undefined) one.supersededAt ??= now
    }
    build.currentUpload = upload
    const nth = this.uploads.findIndex((one) => one.upload === upload)
    build.readyBy = Math.max(build.readyBy ?? 0, nth)
  }

  status(build: Build, now: number): string {
    if (build.currentUpload !== undefined) return `ready ${build.currentUpload.content}`
    return now < build.end ? "uploading" : "expired"
  }

  /** By which reservation a build takes its place, see `placedBy` of `core/rules/builds.ts`. */
  latest(who: Who, branch: string, now: number): Build | undefined {
    const placed = this.builds
      .filter((one) => one.who === who && one.branch === branch)
      .map((build) => ({ build, by: now < build.end ? build.reservedBy : build.readyBy }))
      .filter(({ by }) => by !== undefined)
    return placed.toSorted((a, b) => (b.by ?? 0) - (a.by ?? 0))[0]?.build
  }

  /** Deletes what has expired, and returns how many items. */
  sweep(now: number): number {
    const { buildsPerBranch, grace, previews, runs } = sweptAfter
    const before = this.builds.length + this.previews.length + this.runs.length
    const isOver = (at: number | undefined, after: number) => at !== undefined && at + after <= now
    // What was sent to an abandoned upload may be needed by a reservation that was made before its end.
    const abandoned = Math.max(grace, sweptAfter.reservation)
    let uploads = 0
    this.builds = this.builds.filter((build) => build.currentUpload !== undefined || !isOver(build.end, abandoned))
    for (const build of this.builds) {
      const left = build.uploads.filter(
        (upload) =>
          build.currentUpload === undefined ||
          upload === build.currentUpload ||
          (upload.finalizedAt === undefined ? !isOver(upload.end, abandoned) : !isOver(upload.supersededAt, grace))
      )
      uploads += build.uploads.length - left.length
      build.uploads = left
    }
    const readyLater = (build: Build) =>
      this.builds.filter(
        (one) =>
          one.who === build.who &&
          one.branch === build.branch &&
          one.readyBy !== undefined &&
          one.readyBy > (build.readyBy ?? 0)
      ).length
    const ranked = this.builds.map((build) => ({ build, rank: readyLater(build) }))
    this.builds = ranked
      .filter(
        ({ build, rank }) =>
          build.who === 0 || build.readyBy === undefined || build.isKept || now < build.end || rank < buildsPerBranch
      )
      .map(({ build }) => build)
    this.runs = this.runs.filter((run) => run.who === 0 || run.isKept || !isOver(run.at, runs))
    this.previews = this.previews.filter((preview) => {
      if (preview.finalizedAt === undefined) return !isOver(preview.end, abandoned)
      const isHeld = preview.isKept || this.runs.some((run) => run.preview === preview && run.isKept)
      return preview.who === 0 || isHeld || !isOver(preview.finalizedAt, previews)
    })
    return before - this.builds.length - this.previews.length - this.runs.length + uploads
  }
}

const nthLast = <A>(all: ReadonlyArray<A>, nth: number): A | undefined => all.at(-1 - (nth % Math.max(1, all.length)))

/**
 * Runs every step, and compares the store with the model after each: each build with its status and hosted objects, the latest
 * build of each branch, each preview, the runs, and deleted uploads by their tokens. At the end, when everything that can expire
 * has expired, sweeps find nothing more to delete.
 */
export const walkSweeping = Effect.fnUntraced(function* (world: SweepWorld, steps: ReadonlyArray<SweepStep>) {
  const model = new Model()

  const finalize = Effect.fnUntraced(function* ({ build, upload }: (typeof model.uploads)[number]) {
    const now = yield* world.now
    const refusal = model.refusal(build, upload, now)
    assert.strictEqual(yield* world.finalize(build.who, upload.token), refusal)
    if (refusal === undefined) model.finalize(build, upload, now)
  })

  const take = Effect.fnUntraced(function* (step: SweepStep) {
    switch (step.do) {
      case "reserve":
      case "ready": {
        const { branch, commit, who } = step
        const ticket = yield* world.reserve(who, branch, commit)
        model.reserve(who, branch, commit, ticket, yield* world.now)
        const last = model.uploads.at(-1)
        if (step.do === "ready" && last !== undefined) yield* finalize(last)
        return
      }
      case "finalize": {
        const made = nthLast(model.uploads, step.upload)
        return made === undefined ? undefined : yield* finalize(made)
      }
      case "delete": {
        const build = nthLast(model.builds, step.build)
        if (build === undefined) return
        yield* world.delete(build.who, `builds/${build.id}`)
        model.builds = model.builds.filter((one) => one !== build)
        return
      }
      case "keep": {
        const build = nthLast(model.builds, step.build)
        if (build === undefined) return
        yield* world.keep({ build: build.id }, step.kept)
        build.isKept = step.kept
        return
      }
      case "reservePreview": {
        const ticket = yield* world.reservePreview(step.who)
        const end = (yield* world.now) + sweptAfter.reservation
        const preview: Preview = { ...ticket, who: step.who, end, isKept: false }
        model.previews.push(preview)
        model.everyPreview.push(preview)
        return
      }
      case "finalizePreview": {
        const preview = nthLast(model.everyPreview, step.preview)
        if (preview === undefined) return
        const now = yield* world.now
        const isOver = preview.finalizedAt === undefined && now >= preview.end
        const refusal = !model.previews.includes(preview) ? "not_found" : isOver ? "reservation_expired" : undefined
        assert.strictEqual(yield* world.finalizePreview(preview.who, preview.token), refusal)
        if (refusal === undefined) preview.finalizedAt ??= now
        return
      }
      case "register": {
        const preview = nthLast(model.previews, step.preview)
        if (preview?.finalizedAt === undefined) return
        const id = yield* world.register(preview.who, preview.id)
        model.runs.push({ who: preview.who, id, preview, at: yield* world.now, isKept: false })
        return
      }
      case "deletePreview": {
        const preview = nthLast(model.previews, step.preview)
        if (preview === undefined) return
        yield* world.delete(preview.who, `previews/${preview.id}`)
        model.previews = model.previews.filter((one) => one !== preview)
        return
      }
      case "keepPreview": {
        const preview = nthLast(model.previews, step.preview)
        if (preview === undefined) return
        yield* world.keep({ preview: preview.id }, step.kept)
        preview.isKept = step.kept
        return
      }
      case "keepRun": {
        const run = nthLast(model.runs, step.run)
        if (run === undefined) return
        yield* world.keep({ run: run.id }, step.kept)
        run.isKept = step.kept
        return
      }
      case "wait":
        return yield* world.wait(step.minutes)
      case "sweep": {
        const would = yield* world.sweep(true)
        const took = yield* world.sweep(false)
        assert.strictEqual(took, model.sweep(yield* world.now), "the sweep took more or less")
        assert.isAtMost(would, took, "a dry run reported more")
      }
    }
  })

  const compare = Effect.gen(function* () {
    const now = yield* world.now
    for (const build of new Set(model.uploads.map((one) => one.build))) {
      const expected = model.builds.includes(build) ? model.status(build, now) : undefined
      assert.strictEqual(yield* world.build(build.who, build.id), expected)
    }
    for (const preview of model.everyPreview) {
      const status =
        preview.finalizedAt !== undefined ? `ready ${preview.content}` : now < preview.end ? "uploading" : "expired"
      const expected = model.previews.includes(preview) ? status : undefined
      assert.strictEqual(yield* world.preview(preview.who, preview.id), expected)
    }
    for (const who of [0, 1] as const) {
      for (const branch of ["main", "side"]) {
        assert.strictEqual(
          yield* world.latest(who, branch),
          model.latest(who, branch, now)?.id,
          "the latest of a branch"
        )
      }
      const runs = model.runs.filter((run) => run.who === who).map(({ id }) => id)
      assert.sameMembers([...(yield* world.runs(who))], runs)
    }
  })

  for (const step of steps) {
    yield* take(step)
    yield* compare
  }
  for (const one of model.uploads) yield* finalize(one)
  for (const _ of [1, 2]) {
    yield* world.wait(300)
    yield* take({ do: "sweep" })
    yield* compare
  }
  assert.strictEqual(yield* world.sweep(false), 0, "a sweep finds something when all is over")
})
