import { Effect, Schema } from "effect"
import { EndedRule } from "../../model/Sweep.ts"
import { endedSelection } from "../../rules/sweeps.ts"
import { Settings } from "../Settings.ts"
import { makeExpirePage } from "./expirePage.ts"
import type { SweepJob } from "./SweepJob.ts"
import { makeSweepTime } from "./sweepTime.ts"

const Cursor = Schema.Struct({ rule: EndedRule, after: Schema.optionalKey(Schema.String) })

const following = (rule: EndedRule): typeof Cursor.Type | undefined => {
  const next = EndedRule.literals[EndedRule.literals.indexOf(rule) + 1]
  return next === undefined ? undefined : { rule: next }
}

/** Expires reservations that were abandoned or superseded, and sessions, share links, tokens and keys that ended (`EndedRule`). */
export const makeExpireReservations = Effect.gen(function* () {
  const expirePage = yield* makeExpirePage
  const time = yield* makeSweepTime
  const { reservationTtl, sweep } = yield* Settings

  const job: SweepJob<typeof Cursor.Type> = {
    name: "expire_reservations",
    cursor: Cursor,
    first: { rule: EndedRule.literals[0] },
    step: Effect.fnUntraced(function* ({ after, rule }, { dryRun }) {
      const selection = endedSelection(rule, yield* time, { grace: sweep.grace, reservationTtl })
      const { next, swept } = yield* expirePage(selection, after, dryRun)
      return { swept: [swept], next: next === undefined ? following(rule) : { rule, after: next } }
    })
  }
  return job
})
