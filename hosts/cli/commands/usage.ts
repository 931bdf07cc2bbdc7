import { Effect } from "effect"
import { Command } from "effect/cli"
import { usageLines } from "../../../core/rules/quotas.ts"
import { administer } from "../parts/administer.ts"
import { account, json, stores } from "../parts/arguments.ts"
import { print, usageJson } from "../parts/print.ts"

export const usage = Command.make("usage", { account, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const { account, months, usage } = yield* administer(input, (one) => one.usage({ account: input.account }))
    yield* print(input.json, { account: account.name, ...usageJson(usage), months }, [
      ...usageLines(usage),
      ...(months.length === 0 ? [`${account.name} has no billed test runs.`] : []),
      ...months.map(
        ({ billedTestRuns, month }) =>
          `${month}  ${billedTestRuns} billed test ${billedTestRuns === 1 ? "run" : "runs"}`
      )
    ])
  })
).pipe(Command.withDescription("Show what an account uses of its quotas, and its billed test runs by month"))
