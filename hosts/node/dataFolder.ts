/** The folder in which the embedded engines keep everything. Only its user can open it. */
import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

/** Where each engine lies in a data folder. */
export const dataFolder = (path: string) => {
  const root = resolve(path)
  return { root, postgres: join(root, "postgres"), objects: join(root, "objects"), secret: join(root, "secret") }
}

/** The secret kept in a data folder, made with the first call. */
export const keptSecret = (path: string): Effect.Effect<Redacted.Redacted> =>
  Effect.sync(() => {
    const { root, secret } = dataFolder(path)
    mkdirSync(root, { recursive: true, mode: 0o700 })
    try {
      return Redacted.make(readFileSync(secret, "utf8").trim())
    } catch {
      const made = randomBytes(32).toString("base64url")
      const temporary = `${secret}.${process.pid}`
      writeFileSync(temporary, `${made}\n`, { mode: 0o600, flush: true })
      renameSync(temporary, secret)
      return Redacted.make(made)
    }
  })
