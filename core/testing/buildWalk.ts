/**
 * Random walks over the life of builds: what anyone may send, in any order, and what must hold whatever they sent. A
 * walk runs on a {@link BuildWorld}: the rules alone, or a host on any adapter.
 */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

const index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))
const who = Schema.Literals([0, 1])

/** One step of a walk. `reservation` counts back from the last one made. */
const Step = Schema.Union([
  Schema.Struct({
    do: Schema.Literal("reserve"),
    who,
    branch: Schema.Literals(["main", "side"]),
    commit: Schema.Literals([1, 2]),
    content: Schema.Literals(["a", "bb", "ccc"])
  }),
  Schema.Struct({ do: Schema.Literal("put"), reservation: index, right: Schema.Boolean }),
  Schema.Struct({ do: Schema.Literal("finalize"), who, reservation: index }),
  Schema.Struct({ do: Schema.Literal("delete"), who, reservation: index }),
  Schema.Struct({ do: Schema.Literal("wait"), minutes: Schema.Literals([1, 20, 45]) })
])
type Step = typeof Step.Type
type Reserve = Extract<Step, { do: "reserve" }>

export const Walk = Schema.Array(Step).check(Schema.isBetweenLength(12, 40))

/** What a walk can see of a build: whatever the world answers, comparable as text. */
export interface Seen {
  readonly id: string
  readonly status: string
  readonly text: string
}

export interface BuildWorld<T> {
  readonly reserve: (step: Reserve) => Effect.Effect<{ readonly id: string; readonly ticket: T }>
  readonly put: (ticket: T, right: boolean) => Effect.Effect<void>
  /** The row, or the code of the refusal. */
  readonly finalize: (who: 0 | 1, ticket: T) => Effect.Effect<Seen | string>
  readonly read: (who: 0 | 1, id: string) => Effect.Effect<Seen | undefined>
  readonly latest: (who: 0 | 1, branch: string) => Effect.Effect<Seen | undefined>
  /** Whether it was there. */
  readonly delete: (who: 0 | 1, id: string) => Effect.Effect<boolean>
  readonly wait: (minutes: number) => Effect.Effect<void>
}

/**
 * Takes every step and checks after each:
 *
 * - an identity never gets a second id, but when its build was deleted: then it never has the first again;
 * - a finalized token always gives the same answer, and none once its build is deleted;
 * - nothing of one account changes by another's doing;
 * - a ready build never stops being ready until it is deleted, and does not change while another upload for it is under way;
 * - what finalize answers is what a read answers.
 */
export const walk = Effect.fnUntraced(function* <T>(world: BuildWorld<T>, steps: ReadonlyArray<Step>) {
  const ids = new Map<string, string>()
  const made: Array<{ readonly who: 0 | 1; readonly id: string; readonly ticket: T; answer?: string }> = []
  const ready = new Map<string, 0 | 1>()
  const deleted = new Map<string, 0 | 1>()

  const everythingOf = Effect.fnUntraced(function* (who: 0 | 1) {
    const own = [...new Set(made.filter((one) => one.who === who).map(({ id }) => id))]
    const builds = yield* Effect.forEach(own, (id) => world.read(who, id))
    const latest = yield* Effect.forEach(["main", "side"], (branch) => world.latest(who, branch))
    return JSON.stringify([builds, latest])
  })

  for (const step of steps) {
    if (step.do === "wait") {
      yield* world.wait(step.minutes)
    } else if (step.do === "reserve") {
      const other = step.who === 0 ? 1 : 0
      const before = yield* everythingOf(other)
      const identity = `${step.who} ${step.branch} ${step.commit}`
      const known = ids.get(identity)
      const stood = known !== undefined && ready.has(known) ? yield* world.read(step.who, known) : undefined
      const { id, ticket } = yield* world.reserve(step)
      if (stood !== undefined) assert.deepStrictEqual(yield* world.read(step.who, id), stood, "a ready build changed")
      assert.strictEqual(known ?? id, id, "an identity got a second id")
      assert.isFalse(deleted.has(id), "a deleted build is there again")
      ids.set(identity, id)
      made.push({ who: step.who, id, ticket })
      assert.strictEqual(yield* everythingOf(other), before, "reserving changed something of another account")
    } else {
      const one = made.at(-1 - (step.reservation % Math.max(1, made.length)))
      if (one === undefined) continue
      if (step.do === "put") {
        yield* world.put(one.ticket, step.right)
        continue
      }
      const other = step.who === 0 ? 1 : 0
      const before = yield* everythingOf(other)
      if (step.do === "delete") {
        const wasThere = yield* world.delete(step.who, one.id)
        assert.strictEqual(wasThere, step.who === one.who && !deleted.has(one.id), "what is there is deleted, once")
        assert.strictEqual(yield* everythingOf(other), before, "deleting changed something of another account")
        if (!wasThere) continue
        deleted.set(one.id, one.who)
        ready.delete(one.id)
        for (const [identity, id] of ids) if (id === one.id) ids.delete(identity)
        continue
      }
      const answer = yield* world.finalize(step.who, one.ticket)
      assert.strictEqual(yield* everythingOf(other), before, "finalizing changed something of another account")
      if (deleted.has(one.id)) {
        assert.strictEqual(answer, "not_found", "the token of a deleted build was accepted")
        continue
      }
      if (typeof answer === "string") {
        if (step.who === one.who) assert.isUndefined(one.answer, `a finalized token was refused: ${answer}`)
        else assert.strictEqual(answer, "not_found")
        continue
      }
      assert.strictEqual(step.who, one.who, "another account's token was finalized")
      if (one.answer === undefined) {
        one.answer = answer.text
        ready.set(answer.id, one.who)
        assert.strictEqual((yield* world.read(one.who, answer.id))?.text, answer.text, "a read answers otherwise")
      }
      assert.strictEqual(answer.text, one.answer, "a finalized token gave another answer")
    }
    for (const [id, owner] of deleted) assert.isUndefined(yield* world.read(owner, id), "a deleted build is read")
    for (const [id, owner] of ready) {
      assert.strictEqual((yield* world.read(owner, id))?.status, "ready", "a ready build stopped being ready")
    }
  }
})
