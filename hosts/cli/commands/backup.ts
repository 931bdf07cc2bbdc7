/** The commands that move a deployment: into a file, out of one, and to other engines. */
import { ConfigProvider, Console, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { InsufficientStorage, Unavailable } from "../../../core/model/Problem.ts"
import { loadSettings } from "../../node/settings/settings.ts"
import { comparison, MoveRefused, notEmpty, storesOf } from "../backup/outcome.ts"
import { leftOutLines } from "../backup/scope.ts"
import { print } from "../parts/print.ts"
import { serveFlags, serveSettings } from "./serve.ts"

const deployment = Effect.promise(() => import("../../node/deployment.ts"))
const nativeDigestsModule = Effect.promise(() => import("../../http/nativeDigests.ts"))
const secretModule = Effect.promise(() => import("../../node/settings/dataFolder.ts"))

/** The file of a backup. */
export const file = Argument.String("file")

/**
 * A failure of an engine during a move, as one line that says what to do. Objects already stored stay there, so the
 * next attempt skips them.
 */
const explained = <A, E, R>(effect: Effect.Effect<A, E | Unavailable | InsufficientStorage, R>) =>
  Effect.mapError(effect, (error) => {
    if (error instanceof InsufficientStorage) {
      return new MoveRefused({
        message: "The target deployment is out of storage. Free some space and run the command again."
      })
    }
    return error instanceof Unavailable
      ? new MoveRefused({
          message: "A store can't be used; the log says which one and why. Fix it and run the command again."
        })
      : error
  })

/** The lines that tell people what was moved. */
const said = (
  what: string,
  {
    counts,
    leftBehind,
    total
  }: {
    readonly counts: ReadonlyArray<readonly [string, number]>
    readonly leftBehind: ReadonlyArray<string>
    readonly total: { readonly objects: number; readonly bytes: number }
  }
): ReadonlyArray<string> => {
  const rows = counts.reduce((sum, [, count]) => sum + count, 0)
  return [`${what}: ${rows} records, ${total.objects} objects, ${total.bytes} bytes.`, ...leftBehind]
}

const damagedAtSource = (objects: number) =>
  new MoveRefused({
    message: `The backup is complete, but objects were damaged before it: ${objects}, named above. Put them back from an earlier backup, or upload them again, and check the disk.`
  })

type Backups = typeof import("../backup/backup.ts")

/** Writes the output of `from` into the file that the command names, or to stdout. */
export const writesBackup = Effect.fnUntraced(function* (
  input: Parameters<typeof serveSettings>[0] & { readonly file: string; readonly json: boolean },
  what: string,
  from: (backups: Backups) => ReturnType<Backups["backUpAccount"]>
) {
  const settings = yield* serveSettings(input)
  const [{ layerToRead }, nativeDigests, { hostSecret }, module, { notWritten, toFile }] = yield* Effect.all([
    deployment,
    nativeDigestsModule,
    secretModule,
    Effect.promise(() => import("../backup/backup.ts")),
    Effect.promise(() => import("../backup/outcome.ts"))
  ])
  const write = from(module)
  const backup = yield* Effect.flatMap(hostSecret(settings), (secret) =>
    input.file === "-" ? write(process.stdout, secret) : toFile(input.file, (out) => write(out, secret))
  ).pipe(
    Effect.catchTag("ArchiveNotWritten", ({ cause }) => Effect.fail(notWritten(input.file, cause))),
    Effect.provide(Layer.merge(layerToRead(settings), nativeDigests.layer)),
    explained
  )
  const damaged = backup.damaged.map((key) => `damaged: ${key} isn't what was uploaded; the backup has it as it is`)
  const lines = [...said(`${what} ${input.file}`, backup), ...leftOutLines(backup.leftOut), ...damaged]
  if (input.file === "-") yield* Effect.forEach(lines, (line) => Console.error(line), { discard: true })
  else yield* print(input.json, backup, lines)
  if (damaged.length > 0) return yield* damagedAtSource(damaged.length)
})

export const backup = Command.make("backup", { ...serveFlags, file }, (input) =>
  writesBackup(input, "Backed up to", ({ backUp }) => backUp)
).pipe(Command.withDescription("Write the whole deployment into one file, `-` for stdout; a host may run meanwhile"))

const unauthenticated = Flag.Boolean("unauthenticated").pipe(
  Flag.withDescription(
    "Don't authenticate the file: anyone who could write it controls what is restored, keys included"
  ),
  Flag.withDefault(false)
)

const exported = Flag.String("account").pipe(
  Flag.withDescription(
    "Restore the file only if it is the export of this account, which has no keys, sessions or share links"
  ),
  Flag.optional
)

export const restore = Command.make("restore", { ...serveFlags, account: exported, unauthenticated, file }, (input) =>
  Effect.gen(function* () {
    const settings = yield* serveSettings(input)
    const [{ layerToFill }, nativeDigests, { knownSecret }, { restore }] = yield* Effect.all([
      deployment,
      nativeDigestsModule,
      secretModule,
      Effect.promise(() => import("../backup/restore.ts"))
    ])
    const secret = yield* knownSecret(settings)
    const accepted = { secret, unauthenticated: input.unauthenticated, account: Option.getOrUndefined(input.account) }
    const restored = yield* restore(input.file, accepted).pipe(
      Effect.catchTag("NotEmpty", () => Effect.fail(notEmpty(`on ${storesOf(settings)}`))),
      Effect.provide(Layer.merge(layerToFill(settings), nativeDigests.layer)),
      explained
    )
    const damaged = restored.damaged.map((key) => `damaged: ${key} wasn't what was uploaded when it was backed up`)
    const notice = input.unauthenticated
      ? [
          `not authenticated: "slipway key list", "slipway repo trust list" and "slipway share list" show who has access`
        ]
      : []
    yield* print(input.json, restored, [...said(`Restored from ${input.file}`, restored), ...notice, ...damaged])
    if (damaged.length > 0) {
      return yield* new MoveRefused({
        message: `Everything is restored, but objects were damaged before the backup: ${damaged.length}, named above. Put them back from an earlier one, or upload them again.`
      })
    }
  })
).pipe(Command.withDescription("Fill an empty deployment, on any engines, from a backup"))

const to = Flag.String("to").pipe(
  Flag.withDescription(
    "Config file of the target deployment, which ignores the environment except for AWS's own variables"
  )
)

export const copy = Command.make("copy", { ...serveFlags, to }, (input) =>
  Effect.gen(function* () {
    const settings = yield* serveSettings(input)
    const target = yield* Effect.provideService(
      loadSettings({ flags: {}, configFile: input.to }),
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({})
    )
    const [{ layerToFill, layerToRead }, { copy }] = yield* Effect.all([
      deployment,
      Effect.promise(() => import("../backup/copy.ts"))
    ])
    const copied = yield* Effect.scoped(
      Effect.gen(function* () {
        const from = yield* Layer.build(layerToRead(settings))
        const into = yield* Layer.build(Layer.fresh(layerToFill(target)))
        return yield* copy(from, into)
      })
    ).pipe(
      Effect.catchTag("NotEmpty", () => Effect.fail(notEmpty(`that ${input.to} names`))),
      explained
    )
    const { lines, same } = comparison(copied.from, copied.to)
    yield* print(input.json, { ...copied, same }, [...lines, ...copied.leftBehind])
    if (!same) return yield* new MoveRefused({ message: "The two deployments differ: see the numbers above." })
  })
).pipe(Command.withDescription("Copy a deployment to other engines, or continue an interrupted copy"))
