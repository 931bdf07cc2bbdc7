import { Effect } from "effect"
import { Command } from "effect/cli"
import { json, name, stores } from "../parts/arguments.ts"
import { administer } from "../parts/administer.ts"
import { retention } from "./retention.ts"
import { accountJson, print } from "../parts/print.ts"

const create = Command.make("create", { name, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const account = yield* administer(input, (one) => one.createAccount({ name: input.name }))
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

export const account = Command.make("account").pipe(
  Command.withDescription("Accounts: who owns repositories, keys and uploads"),
  Command.withSubcommands([create, list, retention])
)
