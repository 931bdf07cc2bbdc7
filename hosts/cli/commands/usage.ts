import { Effect } from "effect"
import { Command } from "effect/cli"
import { administer } from "../parts/administer.ts"
import { account, json, stores } from "../parts/arguments.ts"
import { print } from "../parts/print.ts"

export const usage = Command.make("usage", { account, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const { account, months } = yield* administer(input, (one) => one.usage({ account: input.account }))
    yield* print(
      input.json,
      { account: account.name, months },
      months.length === 0
        ? [`${account.name} has no billed test runs.`]
        : months.map(
            ({ billedTestRuns, month }) =>
              `${month}  ${billedTestRuns} billed test ${billedTestRuns === 1 ? "run" : "runs"}`
          )
    )
  })
).pipe(Command.withDescription("Show an account's billed test runs by month"))
