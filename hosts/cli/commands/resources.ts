import { DateTime, Effect, type Schema } from "effect"
import { type Argument, Command, Flag, Prompt } from "effect/cli"
import { BuildId } from "../../../core/model/Build.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import type { Resource } from "../../../core/model/Resource.ts"
import { TestRunId } from "../../../core/model/TestRun.ts"
import { isId } from "../../../core/model/Text.ts"
import { AdministrationRefused } from "../../../core/service/administrationMethods.ts"
import { administer } from "../parts/administer.ts"
import { json, resourceId, stores } from "../parts/arguments.ts"
import { print } from "../parts/print.ts"

const release = Flag.Boolean("release").pipe(
  Flag.withDescription("Apply the retention rules to it again"),
  Flag.withDefault(false)
)

const visible = isId("must be an id")

/** `keep build ID` and so on. */
const keepOf = <Id extends string>(
  kind: "build" | "preview" | "run",
  id: Argument.Argument<Id>,
  resourceOf: (id: Id) => Resource
) =>
  Command.make(kind, { id, release, json, ...stores }, (input) =>
    Effect.gen(function* () {
      const resource = resourceOf(input.id)
      if (input.release) {
        yield* administer(input, (one) => one.release({ resource }))
        return yield* print(input.json, resource, [`The retention rules apply to the ${kind} ${input.id} again.`])
      }
      const at = DateTime.formatIso(yield* administer(input, (one) => one.keep({ resource })))
      yield* print(input.json, { ...resource, keptAt: at }, [`The ${kind} ${input.id} is kept since ${at}.`])
    })
  ).pipe(Command.withDescription(`Keep a ${kind}, or no longer`))

export const keep = Command.make("keep").pipe(
  Command.withDescription("Keep a build, a preview or a run, regardless of the retention rules"),
  Command.withSubcommands([
    keepOf("build", resourceId(BuildId.check(visible)), (build) => ({ build })),
    keepOf("preview", resourceId(ShareId.check(visible)), (preview) => ({ preview })),
    keepOf("run", resourceId(TestRunId.check(visible)), (run) => ({ run }))
  ])
)

// The commands that delete one resource: `slipway build delete ID`, and so for previews and runs.

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
