/** The folder in which the embedded engines store everything. Only its user may open it. */
import { Data, Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { chmodSync, existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { pathsIn } from "../../../adapters/embedded/paths.ts"
import { makeFolder } from "../../../adapters/makeFolder.ts"
import type { SigningSecret } from "../../../core/model/SigningSecret.ts"
import { type ProcessSettings, SettingRefused } from "./settings.ts"

/** The path of each engine in a data folder. */
export const dataFolder = (path: string) => {
  const paths = pathsIn(path)
  return { ...paths, secret: join(paths.root, "secret") }
}

/** The least bytes that a proxy sends: for fewer, a second file costs more than it saves. */
export const minProxiedBytes = 64 * 1024

/** How the objects in a data folder are stored. */
export const filesIn = ({ data, sendfile }: { readonly data: string; readonly sendfile?: boolean | undefined }) => ({
  directory: dataFolder(data).objects,
  minProxiedBytes: sendfile === true ? minProxiedBytes : undefined
})

/** Whether a path exists can't be seen, such as in a folder of another user. `code` is the error code of the system. */
export class PathHidden extends Data.TaggedError("PathHidden")<{ readonly path: string; readonly code: string }> {
  readonly detail = `${this.path} can't be accessed (${this.code})`
  readonly hint = "run the command as the user that Slipway runs as, or fix the permissions"
}

/** Whether a file or folder exists. A path that can't be accessed is not one that is missing. */
export const isPresent = (path: string): Effect.Effect<boolean, PathHidden> =>
  Effect.suspend(() => {
    try {
      statSync(path)
      return Effect.succeed(true)
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
      return code === "ENOENT" || code === "ENOTDIR"
        ? Effect.succeed(false)
        : Effect.fail(new PathHidden({ path, code }))
    }
  })

/** The secret in a data folder can't be used; the message says why. */
export class SecretUnusable extends Data.TaggedError("SecretUnusable")<{ readonly message: string }> {}

const shortest = 16

/** Stores a new secret, unless another process has stored one meanwhile. */
const keepNew = (path: string): void => {
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(temporary, path)
  } catch (cause) {
    if (!existsSync(path)) throw cause
  } finally {
    rmSync(temporary)
  }
}

/** The secret stored in a data folder; the first call creates it. Fails if it can't be read or is too short. */
export const storedSecret = (path: string): Effect.Effect<Redacted.Redacted, SecretUnusable> => {
  const { root, secret } = dataFolder(path)
  return Effect.try({
    try: () => {
      makeFolder(root)
      if (!existsSync(secret)) keepNew(secret)
      return readFileSync(secret, "utf8").trim()
    },
    catch: (cause) =>
      new SecretUnusable({
        message: `The secret ${secret} can't be read or created (${cause instanceof Error ? cause.message : String(cause)}); let the user that Slipway runs as write to ${root}, or name another folder in SLIPWAY_DATA.`
      })
  }).pipe(
    Effect.filterOrFail(
      (kept) => kept.length >= shortest,
      () =>
        new SecretUnusable({
          message: `The secret ${secret} is shorter than ${shortest} characters; remove the file, and the next start creates a new one.`
        })
    ),
    Effect.map((kept) => Redacted.make(kept))
  )
}

const ofOthers = 0o077
/** For the group, to pass through a folder without listing it. */
const passing = 0o010
const ofStrangers = 0o007

const shown = (mode: number): string => mode.toString(8).padStart(3, "0")

/**
 * Removes the permissions of other users on an existing folder that belongs to the user of this process. Returns a
 * warning of one line when it did, or when it can't; `undefined` when nothing is wrong, and on systems without such
 * rights. With `sendfile`, a proxy of the folder's group may pass through it.
 */
export const restrictFolder = (folder: string, sendfile = false): string | undefined => {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (stats === undefined || process.getuid === undefined) return undefined
  const mode = stats.mode & 0o777
  if (stats.uid !== process.getuid()) {
    return (mode & ofStrangers) === 0
      ? undefined
      : `Every user of this machine can open the data folder ${folder} (mode ${shown(mode)}): chmod o= ${folder}`
  }
  const restricted = (mode & ~ofOthers) | (sendfile ? passing : 0)
  if (restricted !== mode) chmodSync(folder, restricted)
  if ((mode & ofOthers & ~restricted) === 0) return undefined
  return `Other users could open the data folder ${folder} (mode ${shown(mode)}): its mode is ${shown(restricted)} now.`
}

/** Why a host on PostgreSQL doesn't generate a secret. */
const secretNeeded =
  "SLIPWAY_SECRET (--secret) is needed with DATABASE_URL, the same on every host; `openssl rand -base64 32` makes one"

/**
 * The secret of a host: the one in its settings, else one generated at the first start and stored in the data folder.
 * With PostgreSQL it must be in the settings, because hosts that share a database accept each other's signatures and so
 * need the same secret.
 */
export const hostSecret = ({
  data,
  database,
  secret
}: Pick<ProcessSettings, "data" | "database" | "secret">): Effect.Effect<
  SigningSecret,
  SettingRefused | SecretUnusable
> => {
  if (secret !== undefined) return Effect.succeed(secret)
  return database === undefined ? storedSecret(data) : Effect.fail(new SettingRefused({ message: secretNeeded }))
}

/** The secret that a host of these settings has already; `undefined` if its first start has yet to make one, or it has none. */
export const knownSecret = (
  settings: Pick<ProcessSettings, "data" | "database" | "secret">
): Effect.Effect<SigningSecret | undefined, SettingRefused | SecretUnusable> =>
  settings.secret !== undefined || (settings.database === undefined && existsSync(dataFolder(settings.data).secret))
    ? hostSecret(settings)
    : Effect.undefined

// A Unix socket's path may have 103 bytes on macOS and 107 on Linux. The smaller limit holds everywhere.
const longestPath = 103

/** The path of the data folder is too long for a socket in it. */
export class DataFolderPathTooLong extends Data.TaggedError("DataFolderPathTooLong")<{ readonly path: string }> {
  override readonly message = `The path of the data folder is too long: its socket ${this.path} may have ${longestPath} bytes at most.`
}

/** Where the socket of a data folder lies. */
export const socketPath = (folder: string): Effect.Effect<string, DataFolderPathTooLong> => {
  const path = join(dataFolder(folder).root, "admin.sock")
  return Buffer.byteLength(path) > longestPath ? Effect.fail(new DataFolderPathTooLong({ path })) : Effect.succeed(path)
}

/** Whether a host listens on the socket of a data folder. */
export const isListening = (folder: string): Effect.Effect<boolean, DataFolderPathTooLong> =>
  Effect.flatMap(socketPath(folder), (path) =>
    Effect.callback<boolean>((resume) => {
      const socket = connect(path)
      const end = (listening: boolean) => {
        socket.destroy()
        resume(Effect.succeed(listening))
      }
      socket.once("connect", () => end(true)).once("error", () => end(false))
    })
  )
