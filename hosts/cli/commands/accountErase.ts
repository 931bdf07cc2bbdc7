import { DateTime, Effect, Option } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import { rmSync, writeFileSync } from "node:fs"
import { AccountId } from "../../../core/model/Account.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { actorText } from "../../../core/rules/audit.ts"
import { erasedCountsText } from "../../../core/rules/sweeps.ts"
import { AdministrationRefused } from "../../../core/service/administrationMethods.ts"
import { administer } from "../parts/administer.ts"
import { json, name, stores } from "../parts/arguments.ts"
import { print } from "../parts/print.ts"

const yes = Flag.String("yes").pipe(
  Flag.withDescription("The account's name again, to skip the confirmation"),
  Flag.optional
)

const id = Flag.String("id").pipe(
  Flag.withDescription("The account's id, where one of the same name is being erased already"),
  Flag.withSchema(AccountId),
  Flag.optional
)

const receipt = Flag.String("receipt").pipe(
  Flag.withDescription("File to write the receipt into, as JSON; it must not exist"),
  Flag.optional
)

const refused = (message: string) => new AdministrationRefused({ message })

/** Has a person type the account's name, unless it was given twice. */
const confirmed = Effect.fnUntraced(function* (account: string, yes: string | undefined) {
  if (yes === undefined && !process.stdin.isTTY) {
    return yield* refused(
      `Erasing can't be undone, and there is no terminal to ask at; pass --yes ${account} to confirm. Nothing was changed.`
    )
  }
  const message = `All data of the account ${account} will be erased permanently. Type its name:`
  const typed = yes ?? (yield* Prompt.run(Prompt.String({ message })))
  if (typed !== account) return yield* refused(`That is not the account's name, ${account}. Nothing was changed.`)
})

/** Makes the file of the receipt before anything is erased, so that what can't be written is refused. */
const reserved = (file: string) =>
  Effect.try({
    try: () => writeFileSync(file, "", { flag: "wx", mode: 0o600 }),
    catch: (cause) => {
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
      return refused(
        code === "EEXIST"
          ? `There is a file ${file} already; name another, or remove it. Nothing was changed.`
          : `The receipt ${file} can't be written: ${code}; write it elsewhere. Nothing was changed.`
      )
    }
  })

export const erase = Command.make("erase", { name, yes, id, receipt, json, ...stores }, (input) =>
  Effect.gen(function* () {
    yield* confirmed(input.name, Option.getOrUndefined(input.yes))
    const file = Option.getOrUndefined(input.receipt)
    if (file !== undefined) yield* reserved(file)
    const erased = yield* administer(input, (one) =>
      Effect.gen(function* () {
        const meant = { account: input.name, ...withoutUndefined({ id: Option.getOrUndefined(input.id) }) }
        const { id } = yield* Effect.tapError(one.eraseAccount(meant), () =>
          Effect.sync(() => file === undefined || rmSync(file))
        )
        let step = yield* one.eraseStep({ id })
        while (!step.isDone) step = yield* one.eraseStep({ id })
        return step
      })
    )
    const { actor, at, gone, settledAt } = erased.erasure
    const made = {
      account: { id: erased.id, name: input.name },
      erasedAt: DateTime.formatIso(at),
      by: actorText(actor),
      gone,
      settledAt: DateTime.formatIso(settledAt)
    }
    if (file !== undefined) {
      yield* Effect.try({
        try: () => writeFileSync(file, `${JSON.stringify(made, undefined, 2)}\n`),
        catch: (cause) =>
          refused(
            `The account is erased, but the receipt ${file} can't be written: ${String(cause)}. Run the command again.`
          )
      })
    }
    const what = erasedCountsText(gone)
    yield* print(input.json, made, [
      `Erased the account ${input.name} (${erased.id}) at ${made.erasedAt}, by ${made.by}.`,
      `Erased: ${what === "" ? "only the account" : what}.`,
      `Data that concurrent requests still store is erased automatically until ${made.settledAt}; then the id is removed.`
    ])
  })
).pipe(
  Command.withDescription("Erase an account with everything of it, for good, from the next request on; with a receipt")
)
