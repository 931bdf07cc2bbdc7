/**
 * Random walks over the life of previews and of the runs registered against them: what anyone may send, in any order,
 * and what must hold whatever they sent. A walk runs on a {@link PreviewWorld}: a host on any adapter.
 */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

const index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))
const who = Schema.Literals([0, 1])

/** One step of a walk. `preview` counts back from the last one reserved. */
const PreviewStep = Schema.Union([
  Schema.Struct({ do: Schema.Literal("reserve"), who, content: Schema.Literals(["a", "bb", "ccc"]) }),
  Schema.Struct({ do: Schema.Literal("put"), preview: index, right: Schema.Boolean }),
  Schema.Struct({ do: Schema.Literal("finalize"), who, preview: index }),
  Schema.Struct({
    do: Schema.Literal("register"),
    who,
    preview: index,
    status: Schema.Literals(["passed", "Passed", "failed"])
  }),
  Schema.Struct({ do: Schema.Literal("delete"), who, preview: index }),
  Schema.Struct({ do: Schema.Literal("deleteRun"), who, preview: index }),
  Schema.Struct({ do: Schema.Literal("wait"), minutes: Schema.Literals([1, 20, 45]) })
])
type PreviewStep = typeof PreviewStep.Type
export const PreviewWalk = Schema.Array(PreviewStep).check(Schema.isBetweenLength(12, 40))

/** What a walk can see of a preview: comparable as text. */
interface SeenPreview {
  readonly status: string
  readonly text: string
}

/** What a walk can see of a run; runs are compared as a whole. */
interface SeenRun {
  readonly id: string
  readonly status: string
}

export interface PreviewWorld<T> {
  readonly reserve: (who: 0 | 1, content: string) => Effect.Effect<{ readonly shareId: string; readonly ticket: T }>
  readonly put: (ticket: T, right: boolean) => Effect.Effect<void>
  /** The metadata, or the code of the refusal. */
  readonly finalize: (who: 0 | 1, ticket: T) => Effect.Effect<SeenPreview | string>
  readonly read: (who: 0 | 1, shareId: string) => Effect.Effect<SeenPreview | undefined>
  /** Whether it was there. */
  readonly delete: (who: 0 | 1, shareId: string) => Effect.Effect<boolean>
  /** Whether it was there. */
  readonly deleteRun: (who: 0 | 1, id: string) => Effect.Effect<boolean>
  /** The run, or the code of the refusal. */
  readonly register: (who: 0 | 1, shareId: string, status: string) => Effect.Effect<SeenRun | string>
  /** Every run of the account. */
  readonly runs: (who: 0 | 1) => Effect.Effect<ReadonlyArray<SeenRun>>
  readonly wait: (minutes: number) => Effect.Effect<void>
}

/**
 * Takes every step and checks after each:
 *
 * - a preview's share id is its own; a finalized token always gives the same answer;
 * - nothing of one account changes by another's doing;
 * - a preview is deleted once, and not by another account; then it is read no more, its token is not found, and its runs stay;
 * - a ready preview stays as it was when it became ready until it is deleted, and what finalize answers is what a read answers;
 * - a run is registered against an own preview that is ready, and against no other;
 * - a run that was registered is listed exactly once, as it was answered, until it is deleted, and one that was refused not at all.
 */
export const walkPreviews = Effect.fnUntraced(function* <T>(world: PreviewWorld<T>, steps: ReadonlyArray<PreviewStep>) {
  const made: Array<{ readonly who: 0 | 1; readonly shareId: string; readonly ticket: T; answer?: string }> = []
  const deleted = new Set<string>()
  const runs: readonly [Array<SeenRun>, Array<SeenRun>] = [[], []]

  const everythingOf = Effect.fnUntraced(function* (who: 0 | 1) {
    const own = made.filter((one) => one.who === who)
    const previews = yield* Effect.forEach(own, ({ shareId }) => world.read(who, shareId))
    return JSON.stringify([previews, yield* world.runs(who)])
  })

  const reserve = Effect.fnUntraced(function* (who: 0 | 1, content: string) {
    const { shareId, ticket } = yield* world.reserve(who, content)
    const known = made.map((one) => one.shareId)
    assert.notInclude(known, shareId, "two previews have one share id")
    made.push({ who, shareId, ticket })
  })

  const finalize = Effect.fnUntraced(function* (who: 0 | 1, one: (typeof made)[number]) {
    const answer = yield* world.finalize(who, one.ticket)
    if (deleted.has(one.shareId)) return assert.strictEqual(answer, "not_found")
    if (who !== one.who) return assert.strictEqual(answer, "not_found")
    if (typeof answer === "string") return assert.isUndefined(one.answer, `a finalized token was refused: ${answer}`)
    one.answer ??= answer.text
    assert.strictEqual(answer.status, "ready")
    assert.strictEqual(answer.text, one.answer, "a finalized token gave another answer")
  })

  const register = Effect.fnUntraced(function* (who: 0 | 1, one: (typeof made)[number], status: string) {
    const run = yield* world.register(who, one.shareId, status)
    if (who !== one.who || deleted.has(one.shareId)) assert.strictEqual(run, "not_found")
    else if (one.answer === undefined) assert.strictEqual(run, "preview_not_ready")
    else if (typeof run === "string") assert.fail(`a run of a ready preview was refused: ${run}`)
    else {
      assert.strictEqual(run.status, status === "passed" ? "passed" : "failed")
      runs[who].push(run)
    }
  })

  const deletePreview = Effect.fnUntraced(function* (who: 0 | 1, one: (typeof made)[number]) {
    const isThere = who === one.who && !deleted.has(one.shareId)
    assert.strictEqual(yield* world.delete(who, one.shareId), isThere, "what is there is deleted, once")
    if (isThere) deleted.add(one.shareId)
  })

  const deleteRun = Effect.fnUntraced(function* (who: 0 | 1, of: 0 | 1) {
    const run = runs[of].at(-1)
    if (run === undefined) return
    assert.strictEqual(yield* world.deleteRun(who, run.id), who === of, "what is there is deleted, once")
    if (who === of) runs[of].pop()
  })

  for (const step of steps) {
    if (step.do === "wait") {
      yield* world.wait(step.minutes)
    } else if (step.do === "put") {
      const one = made.at(-1 - (step.preview % Math.max(1, made.length)))
      if (one !== undefined) yield* world.put(one.ticket, step.right)
    } else {
      const other = step.who === 0 ? 1 : 0
      const before = yield* everythingOf(other)
      const one = step.do === "reserve" ? undefined : made.at(-1 - (step.preview % Math.max(1, made.length)))
      if (step.do === "reserve") yield* reserve(step.who, step.content)
      else if (one === undefined) continue
      else if (step.do === "finalize") yield* finalize(step.who, one)
      else if (step.do === "delete") yield* deletePreview(step.who, one)
      else if (step.do === "deleteRun") yield* deleteRun(step.who, one.who)
      else yield* register(step.who, one, step.status)
      assert.strictEqual(yield* everythingOf(other), before, `${step.do} changed something of another account`)
    }
    for (const { answer, shareId, who } of made) {
      if (deleted.has(shareId)) assert.isUndefined(yield* world.read(who, shareId), "a deleted preview is read")
      if (answer === undefined || deleted.has(shareId)) continue
      assert.strictEqual((yield* world.read(who, shareId))?.text, answer, "a ready preview changed")
    }
    for (const who of [0, 1] as const) {
      assert.sameDeepMembers(
        [...(yield* world.runs(who))],
        [...runs[who]],
        "the list is not what was registered, each once"
      )
    }
  }
})
