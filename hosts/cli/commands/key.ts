import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Name } from "../../../core/model/Text.ts"
import type { IssuedKey } from "../../../core/service/administrationMethods.ts"
import { account, expires, json, keyId, overlap, scopes, stores } from "../parts/arguments.ts"
import { administer } from "../parts/administer.ts"
import { keyJson, keyLine, print } from "../parts/print.ts"

const keyName = Flag.String("name").pipe(Flag.withDescription("What the key is for"), Flag.withSchema(Name))

const printIssued = (asJson: boolean, { account, key, record }: IssuedKey) =>
  print(asJson, keyJson(record, account, key), [key, "Save it now: it is not shown again.", keyLine(record)])

const create = Command.make("create", { account, name: keyName, scopes, expires, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const { account, name, scopes } = input
    const life = Option.getOrUndefined(input.expires)
    yield* printIssued(input.json, yield* administer(input, (one) => one.createKey({ account, name, scopes, life })))
  })
).pipe(Command.withDescription("Issue a key; it is shown once"))

const list = Command.make("list", { account, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const { account, keys } = yield* administer(input, (one) => one.listKeys({ account: input.account }))
    yield* print(
      input.json,
      keys.map((key) => keyJson(key, account)),
      keys.map(keyLine)
    )
  })
).pipe(Command.withDescription("List an account's keys"))

const revoke = Command.make("revoke", { id: keyId, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const { account, key } = yield* administer(input, (one) => one.revokeKey({ id: input.id }))
    yield* print(input.json, keyJson(key, account), [keyLine(key)])
  })
).pipe(Command.withDescription("Revoke a key, from the next request on"))

const rotate = Command.make("rotate", { id: keyId, overlap, json, ...stores }, (input) =>
  Effect.gen(function* () {
    yield* printIssued(
      input.json,
      yield* administer(input, (one) => one.rotateKey({ id: input.id, overlap: input.overlap }))
    )
  })
).pipe(Command.withDescription("Issue a key that replaces another one; the old key ends after the overlap"))

export const key = Command.make("key").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([create, list, revoke, rotate])
)
