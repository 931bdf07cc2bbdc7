import { Array, Effect, Option, Order } from "effect"
import { Command, Flag } from "effect/cli"
import type { AccountUsage } from "../../../core/model/Account.ts"
import { usageLines } from "../../../core/rules/limits.ts"
import { administer, type Stores } from "../parts/administer.ts"
import { account, json, stores } from "../parts/arguments.ts"
import { print, usageJson } from "../parts/print.ts"

const oneAccount = Flag.optional(account).pipe(Flag.withDescription("Name of the account; all accounts without it"))

const ofAccount = Effect.fnUntraced(function* (input: Stores & { readonly json: boolean }, name: string) {
  const { account, months, usage } = yield* administer(input, (one) => one.usage({ account: name }))
  yield* print(input.json, { account: account.name, ...usageJson(usage), months }, [
    ...usageLines(usage),
    ...(months.length === 0 ? [`${account.name} has no billed test runs.`] : []),
    ...months.map(
      ({ billedTestRuns, month }) => `${month}  ${billedTestRuns} billed test ${billedTestRuns === 1 ? "run" : "runs"}`
    )
  ])
})

const mostKeptFirst = Order.mapInput(
  Order.flip(Order.Number),
  ({ usage }: { usage: AccountUsage }) => usage.bytesStored.used
)

const ofAll = Effect.fnUntraced(function* (input: Stores & { readonly json: boolean }) {
  const all = yield* administer(input, (one) =>
    Effect.flatMap(one.listAccounts(), (accounts) =>
      Effect.forEach(accounts, ({ name }) => one.usage({ account: name }), { concurrency: 4 })
    )
  )
  const sorted = Array.sort(all, mostKeptFirst)
  yield* print(
    input.json,
    sorted.map(({ account, usage }) => ({ account: account.name, ...usageJson(usage) })),
    sorted.map(({ account, usage }) => `${account.name}  ${usageLines(usage).slice(0, -1).join("  ")}`)
  )
})

export const usage = Command.make("usage", { account: oneAccount, json, ...stores }, (input) =>
  Option.match(input.account, { onNone: () => ofAll(input), onSome: (name) => ofAccount(input, name) })
).pipe(
  Command.withDescription(
    "Show what an account uses of its quotas, and its billed test runs by month; or all accounts, the one that stores most first"
  )
)
