import { Effect, Record } from "effect"
import { Command } from "effect/cli"
import { json, name, quotas, stores } from "../parts/arguments.ts"
import { administer, administerNew } from "../parts/administer.ts"
import { usageLines } from "../../../core/rules/limits.ts"
import { accountJson, print, usageJson } from "../parts/print.ts"
import { erase } from "./accountErase.ts"
import { exportAccount } from "./accountExport.ts"
import { retention } from "./retention.ts"

const create = Command.make("create", { name, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const account = yield* administerNew(input, (one) => one.createAccount({ name: input.name }))
    yield* print(input.json, accountJson(account), [`Created the account ${account.name} (${account.id}).`])
  })
).pipe(Command.withDescription("Create an account"))

const list = Command.make("list", { json, ...stores }, (input) =>
  Effect.gen(function* () {
    const accounts = yield* administer(input, (one) => one.listAccounts())
    yield* print(
      input.json,
      accounts.map(accountJson),
      accounts.map(({ id, name }) => `${id}  ${name}`)
    )
  })
).pipe(Command.withDescription("List the accounts"))

const quota = Command.make("quota", { name, ...quotas, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const { bytesStored, bytesPerMonth, previewsPerMonth, runsPerMonth } = input
    const changed = Record.getSomes({ bytesStored, bytesPerMonth, previewsPerMonth, runsPerMonth })
    const { account, usage } = yield* administer(input, (one) =>
      one.setQuotas({ account: input.name, quotas: changed })
    )
    yield* print(input.json, { account: account.name, ...usageJson(usage) }, usageLines(usage))
  })
).pipe(
  Command.withDescription("Set quotas of an account, which come before those of the settings, and show where it stands")
)

export const account = Command.make("account").pipe(
  Command.withDescription("Accounts: who owns repositories, keys and uploads"),
  Command.withSubcommands([create, list, quota, retention, exportAccount, erase])
)
