/** The commands that delete one resource: `slipway build delete ID`, and so for previews and runs. */
import { Effect, type Schema } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import { BuildId } from "../../../core/model/Build.ts"
import { isId } from "../../../core/model/Text.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import type { Resource } from "../../../core/model/Resource.ts"
import { TestRunId } from "../../../core/model/TestRun.ts"
import { AdministrationRefused } from "../../../core/service/administrationMethods.ts"
import { administer } from "../parts/administer.ts"
import { json, resourceId, stores } from "../parts/arguments.ts"
import { print } from "../parts/print.ts"

const yes = Flag.Boolean("yes").pipe(Flag.withDescription("Don't ask for confirmation"), Flag.withDefault(false))

const refused = (message: string) => new AdministrationRefused({ message })

/** Asks at the terminal, on which a person has to agree. */
const confirmed = Effect.fnUntraced(function* (question: string) {
  if (!process.stdin.isTTY) {
    return yield* refused("Deleting can't be undone, and there is no terminal to ask at; pass --yes to confirm.")
  }
  if (!(yield* Prompt.run(Prompt.Confirm({ message: question, initial: false })))) {
    return yield* refused("Nothing was deleted.")
  }
})

const visible = isId("must be an id")

const deletes = <Id extends string>(
  kind: string,
  what: string,
  id: Schema.Codec<Id, string>,
  resourceOf: (id: Id) => Resource
) => {
  const remove = Command.make("delete", { id: resourceId(id), yes, json, ...stores }, (input) =>
    Effect.gen(function* () {
      const resource = resourceOf(input.id)
      if (!input.yes) {
        const { account, name } = yield* administer(input, (admin) => admin.findResource({ resource }))
        yield* confirmed(`Delete the ${kind} ${input.id} (${name}) of ${account.name} for good?`)
      }
      const { account, name } = yield* administer(input, (admin) => admin.deleteResource({ resource }))
      yield* print(input.json, { id: input.id, deleted: kind, name, account: account.name }, [
        `Deleted the ${kind} ${input.id} (${name}) of ${account.name}.`
      ])
    })
  ).pipe(Command.withDescription(`Delete a ${kind} for good, from the next request on`))
  return Command.make(kind).pipe(Command.withDescription(what), Command.withSubcommands([remove]))
}

export const build = deletes("build", "Builds", BuildId.check(visible), (build) => ({ build }))
export const preview = deletes("preview", "Previews", ShareId.check(visible), (preview) => ({ preview }))
export const run = deletes("run", "Test runs", TestRunId.check(visible), (run) => ({ run }))
