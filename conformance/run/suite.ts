import { Effect } from "effect"
import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join, sep } from "node:path"
import packageJson from "slipway/package.json" with { type: "json" }

/** The folder of the suite's sources. What is published has their digest written in by `.config/build.ts`. */
const folder = join(import.meta.dirname, "..")

const isPart = (file: string): boolean =>
  /\.(?:[jt]s|json)$/.test(file) &&
  !/\.d\.ts$|\.test\.[jt]s$/.test(file) &&
  !/^(?:dist|fair|mutants|results|testing)\//.test(file)

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")

const digest = async (): Promise<string> => {
  const files = (await readdir(folder, { recursive: true })).map((file) => file.split(sep).join("/")).filter(isPart)
  const digests = files.toSorted().map(async (file) => [file, sha256(await readFile(join(folder, file)))])
  return sha256(JSON.stringify(await Promise.all(digests)))
}

let known: Promise<string> | undefined

/** The version of this suite, and the lower-case hex SHA-256 of its code without tests. */
export const suite = Effect.map(
  Effect.promise(() => (known ??= digest())),
  (digest) => ({ version: packageJson.version, digest })
)
