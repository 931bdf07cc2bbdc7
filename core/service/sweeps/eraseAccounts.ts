import { Effect, Schema } from "effect"
import { AccountId } from "../../model/Account.ts"
import { Erasures } from "../Erasures.ts"
import type { SweepJob } from "./SweepJob.ts"

/** The account whose erasure was finished last, if any. */
const Cursor = Schema.Struct({ after: Schema.optionalKey(AccountId) })

/** Finishes the erasure of accounts. */
export const makeEraseAccounts = Effect.gen(function* () {
  const erasures = yield* Erasures

  const job: SweepJob<typeof Cursor.Type> = {
    name: "erase_accounts",
    cursor: Cursor,
    first: {},
    step: Effect.fnUntraced(function* (cursor, { dryRun }) {
      const account = (yield* erasures.list).find(({ id }) => cursor.after === undefined || id > cursor.after)
      if (account === undefined) return { swept: [] }
      const following = { after: account.id }
      if (dryRun) return { swept: [{ rule: "erased", ...(yield* erasures.next(account.id)) }], next: following }
      const { bytes = 0, objects: _, ...records } = yield* erasures.step(account)
      const count = Object.values(records).reduce((sum, some) => sum + (some ?? 0), 0)
      return { swept: [{ rule: "erased", count, bytes }], next: count === 0 ? following : cursor }
    })
  }
  return job
})
