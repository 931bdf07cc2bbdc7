/** Cases of commits: each is stored whole or not at all, once of many, and with its event. */
import { publishedCommits, type Attempt, type PublishedPorts, type Tables } from "./commits.ts"
import { drained } from "./outboxClaims.ts"
import { plainEvent } from "./plain.ts"
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { isDeepStrictEqual } from "node:util"
import { EventId, type SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import type { Outbox } from "../../../core/ports/Outbox.ts"
import { assertAtomic } from "./interruption.ts"
import { atOnce, many } from "./racing.ts"
import { idAt, instant } from "./samples.ts"
import type { Cases } from "./suite.ts"

const eventOf = ({ content }: Attempt): SlipwayEvent => ({
  id: EventId.make(idAt(1)),
  timestamp: instant(7),
  ...(content ?? assert.fail("the commit has no event"))
})

/** Whether an attempt was made. Asserts that everything of it is stored. */
const isMade = ({ expected, seen }: Attempt) =>
  Effect.map(seen, (now) => {
    if (!isDeepStrictEqual(now.own, expected.own)) return false
    assert.deepStrictEqual(now, expected)
    return true
  })

/** Two cases of each commit: it is interrupted at any moment, and the engine fails at any of its statements. */
export const assertWhole = <R>(it: Cases<R>, commits: Tables<R>): void => {
  for (const [name, rivals] of Object.entries(commits)) {
    assertAtomic(
      it,
      {
        interrupted: `${name} that is interrupted at any moment is stored whole or not at all`,
        failing: `${name} during which the engine fails is stored whole or not at all`
      },
      Effect.gen(function* () {
        const make = yield* rivals
        const attempt = make(0)
        const before = yield* attempt.seen
        return {
          run: attempt.commit(),
          check: Effect.gen(function* () {
            if (yield* isMade(attempt)) return
            assert.deepStrictEqual(yield* attempt.seen, before)
            yield* attempt.commit()
            assert.isTrue(yield* isMade(attempt), "the commit can be made again")
          })
        }
      })
    )
  }
}

const isRefused = (result: Result.Result<unknown, unknown>) => Result.isFailure(result) || result.success === false

/** A case of each commit: exactly one of 32 attempts at once is made, and the others leave no trace. */
export const assertOnce = <R>(it: Cases<R>, commits: Tables<R>): void => {
  for (const [name, rivals] of Object.entries(commits)) {
    it.effect(`of ${name} by many at once, exactly one is made, and the others leave nothing`, function* () {
      const make = yield* rivals
      const attempts = many.map(make)
      const results = yield* atOnce(attempts.map(({ commit }) => Effect.flatMap(commit(), refuse)))
      const made = results.map((result) => !isRefused(result))
      assert.lengthOf(made.filter(Boolean), 1, "attempts that were made")
      for (const result of results.filter(Result.isFailure))
        assert.include(["Conflict", "refused"], tagOf(result.failure))
      assert.deepStrictEqual(yield* Effect.forEach(attempts, isMade), made)
      const late = make(many.length)
      assert.isTrue(Result.isFailure(yield* Effect.result(Effect.flatMap(late.commit(), refuse))), "a later attempt")
      assert.isFalse(yield* isMade(late))
    })
  }
}

const refuse = (answer: unknown) => (answer === false ? Effect.fail("refused") : Effect.void)
const tagOf = (failure: unknown) =>
  typeof failure === "object" && failure !== null && "_tag" in failure ? failure._tag : failure

/** Cases of each commit with an event: the outbox has it exactly when the commit is stored. */
export const assertPublished = (it: Cases<Outbox | PublishedPorts>) => {
  for (const [name, rivals] of Object.entries(publishedCommits.all)) {
    const attempted = Effect.map(rivals, (make) => {
      const attempt = make(0)
      return { attempt, event: eventOf(attempt) }
    })

    it.effect(`${name} stores its event, which comes back unchanged, and none without one`, function* () {
      const [{ attempt: without }, { attempt, event }] = [yield* attempted, yield* attempted]
      yield* without.commit()
      assert.deepStrictEqual(yield* drained, [])
      yield* attempt.commit({ event })
      assert.deepStrictEqual((yield* drained).map(plainEvent), [plainEvent(event)])
    })

    assertAtomic(
      it,
      {
        interrupted: `${name} that is interrupted at any moment stores its event, or neither`,
        failing: `${name} during which the engine fails stores its event, or neither`
      },
      Effect.map(attempted, ({ attempt, event }) => ({
        run: attempt.commit({ event }),
        check: Effect.gen(function* () {
          const expected = (yield* isMade(attempt)) ? [event.id] : []
          const ids = (yield* drained).map(({ id }) => id)
          assert.deepStrictEqual(ids, expected)
        })
      }))
    )
  }

  for (const [name, rivals] of Object.entries(publishedCommits.ofMany)) {
    it.effect(`of ${name} by many at once or later, the first alone stores its event`, function* () {
      const make = yield* rivals
      const attempts = many.map(make).map((attempt) => ({ attempt, event: eventOf(attempt) }))
      yield* Effect.forEach(attempts, ({ attempt, event }) => Effect.result(attempt.commit({ event })), {
        concurrency: "unbounded"
      })
      const [stored, ...others] = yield* drained
      assert.deepStrictEqual(others, [])
      const first = attempts.find(({ event }) => event.id === stored?.id)
      assert.isTrue(first !== undefined && (yield* isMade(first.attempt)), "the event is that of another attempt")
      const late = make(many.length)
      yield* Effect.result(late.commit({ event: eventOf(late) }))
      assert.deepStrictEqual(yield* drained, [])
    })
  }
}
