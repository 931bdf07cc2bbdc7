import { Effect } from "effect"
import { Command } from "effect/cli"
import { account, json, repository, stores } from "../parts/arguments.ts"
import { administer } from "../parts/administer.ts"
import { print, repositoryJson } from "../parts/print.ts"

const link = Command.make("link", { repository, account, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const order = { account: input.account, ...input.repository }
    const linked = yield* administer(input, (one) => one.linkRepository(order))
    yield* print(input.json, repositoryJson(linked, input.account), [
      `${linked.owner}/${linked.repo} is linked to ${input.account}.`
    ])
  })
).pipe(Command.withDescription("Link a repository to an account"))

const unlink = Command.make("unlink", { repository, account, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const order = { account: input.account, ...input.repository }
    yield* administer(input, (one) => one.unlinkRepository(order))
    yield* print(input.json, repositoryJson(order, input.account), [
      `${order.owner}/${order.repo} is no longer linked to ${input.account}; what was uploaded for it is kept.`
    ])
  })
).pipe(Command.withDescription("End the link; uploads are kept, but nobody can see them"))

const list = Command.make("list", { account, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const linked = yield* administer(input, (one) => one.listRepositories({ account: input.account }))
    yield* print(
      input.json,
      linked.map((one) => repositoryJson(one, input.account)),
      linked.map(({ owner, repo }) => `${owner}/${repo}`)
    )
  })
).pipe(Command.withDescription("List an account's repositories"))

export const repo = Command.make("repo").pipe(
  Command.withDescription("Repositories and the accounts they are linked to"),
  Command.withSubcommands([link, unlink, list])
)
