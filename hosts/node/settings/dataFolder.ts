/** The folder in which the embedded engines store everything. Only its user may open it. */
import { Data, Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeFolder } from "../../../adapters/makeFolder.ts"
import { pathsIn } from "../../../adapters/embedded/paths.ts"

/** The path of each engine in a data folder. */
export const dataFolder = (path: string) => {
  const paths = pathsIn(path)
  return { ...paths, secret: join(paths.root, "secret") }
}

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
