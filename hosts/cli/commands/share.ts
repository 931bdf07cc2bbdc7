import { Effect, Option } from "effect"
import { CliError, Command } from "effect/cli"
import type { ShareId } from "../../../core/model/Preview.ts"
import type { ShareableResource } from "../../../core/model/Resource.ts"
import type { TestRunId } from "../../../core/model/TestRun.ts"
import { account, json, linkId, linkLife, preview, run, stores } from "../parts/arguments.ts"
import { administer } from "../parts/administer.ts"
import { print, shareLinkJson, shareLinkLine } from "../parts/print.ts"

const resource = { account, preview, run }
const output = { json, ...stores }

/** The preview or run that the flags of a command name. */
const sharedIn = (
  command: string,
  { preview, run }: { readonly preview: Option.Option<ShareId>; readonly run: Option.Option<TestRunId> }
): Effect.Effect<ShareableResource, CliError.CliError> => {
  if (Option.isSome(preview) && Option.isNone(run)) return Effect.succeed({ preview: preview.value })
  if (Option.isSome(run) && Option.isNone(preview)) return Effect.succeed({ run: run.value })
  const error = new CliError.UserError({ cause: "Give either --preview or --run" })
  return Effect.fail(new CliError.ShowHelp({ commandPath: ["slipway", "share", command], errors: [error] }))
}

const create = Command.make("create", { ...resource, expires: linkLife, ...output }, (input) =>
  Effect.gen(function* () {
    const shared = yield* sharedIn("create", input)
    const order = { account: input.account, shared, life: Option.getOrUndefined(input.expires) }
    const { account, link, url } = yield* administer(input, (one) => one.createShareLink(order))
    yield* print(input.json, shareLinkJson(link, account, url), [
      url,
      "Anyone with this link can see the page until the link expires. Save it now: it is not shown again.",
      shareLinkLine(link)
    ])
  })
).pipe(Command.withDescription("Make a link that opens a preview or a run without a key; it is shown once"))

const list = Command.make("list", { ...resource, ...output }, (input) =>
  Effect.gen(function* () {
    const order = { account: input.account, shared: yield* sharedIn("list", input) }
    const { account, links } = yield* administer(input, (one) => one.listShareLinks(order))
    yield* print(
      input.json,
      links.map((link) => shareLinkJson(link, account)),
      links.map(shareLinkLine)
    )
  })
).pipe(Command.withDescription("List the links to a preview or a run, including ended ones"))

const revoke = Command.make("revoke", { id: linkId, ...resource, ...output }, (input) =>
  Effect.gen(function* () {
    const order = { account: input.account, shared: yield* sharedIn("revoke", input), id: input.id }
    const { account, link } = yield* administer(input, (one) => one.revokeShareLink(order))
    yield* print(input.json, shareLinkJson(link, account), [shareLinkLine(link)])
  })
).pipe(Command.withDescription("Revoke a link, from the next request on"))

export const share = Command.make("share").pipe(
  Command.withDescription("Links that open one preview or run to people without a key"),
  Command.withSubcommands([create, list, revoke])
)
