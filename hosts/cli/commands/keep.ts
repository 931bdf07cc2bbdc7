import { DateTime, Effect } from "effect"
import { Command, Flag, type Argument } from "effect/cli"
import { BuildId } from "../../../core/model/Build.ts"
import { isId } from "../../../core/model/Text.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import type { Resource } from "../../../core/model/Resource.ts"
import { TestRunId } from "../../../core/model/TestRun.ts"
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
