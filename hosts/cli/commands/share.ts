import { Effect, Option } from "effect"
import { CliError, Command } from "effect/cli"
import type { BuildId } from "../../../core/model/Build.ts"
import type { ShareId } from "../../../core/model/Preview.ts"
import type { Resource } from "../../../core/model/Resource.ts"
import type { TestRunId } from "../../../core/model/TestRun.ts"
import { account, build, json, linkId, linkLife, preview, run, stores } from "../parts/arguments.ts"
import { administer } from "../parts/administer.ts"
import { print, shareLinkJson, shareLinkLine } from "../parts/print.ts"

const resource = { account, build, preview, run }
const output = { json, ...stores }

/** The resource that the flags of a command name. */
const sharedIn = (
  command: string,
  {
    build,
    preview,
    run
  }: {
    readonly build: Option.Option<BuildId>
    readonly preview: Option.Option<ShareId>
    readonly run: Option.Option<TestRunId>
  }
): Effect.Effect<Resource, CliError.CliError> => {
  const given: ReadonlyArray<Resource> = [
    ...Option.toArray(Option.map(build, (build) => ({ build }))),
    ...Option.toArray(Option.map(preview, (preview) => ({ preview }))),
    ...Option.toArray(Option.map(run, (run) => ({ run })))
  ]
  const [shared, ...more] = given
  if (shared !== undefined && more.length === 0) return Effect.succeed(shared)
  const error = new CliError.UserError({ cause: "Give one of --build, --preview and --run" })
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
).pipe(Command.withDescription("Make a link that opens a build, preview or run without a key; it is shown once"))

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
).pipe(Command.withDescription("List the links to a build, preview or run, including ended ones"))

const revoke = Command.make("revoke", { id: linkId, ...resource, ...output }, (input) =>
  Effect.gen(function* () {
    const order = { account: input.account, shared: yield* sharedIn("revoke", input), id: input.id }
    const { account, link } = yield* administer(input, (one) => one.revokeShareLink(order))
    yield* print(input.json, shareLinkJson(link, account), [shareLinkLine(link)])
  })
).pipe(Command.withDescription("Revoke a link, from the next request on"))

export const share = Command.make("share").pipe(
  Command.withDescription("Links that open one build, preview or run to people without a key"),
  Command.withSubcommands([create, list, revoke])
)
