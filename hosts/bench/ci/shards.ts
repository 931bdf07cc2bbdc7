import { randomBytes } from "node:crypto"
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const flow = join(import.meta.dirname, "../../ci/import/maestro/fixtures/out/2026-11-18_110640/Pay")
const epoch = /17950000(\d{5})/g

/** What the tests of these flows type, and are given as variables: none of it may leave the machine. */
export const secret = /marked[-_]secret/g

/** The size of a screenshot, in bytes. */
const pictureBytes = 60_000

/**
 * Writes the folders that Maestro leaves of some shards: `tests` flows in all, each a failed one with steps, screenshots, videos and
 * logs, in which secrets stand. Answers the folders, and in how many places secrets stand.
 */
export const writeShards = (root: string, shards: number, tests: number) => {
  const folders = Array.from({ length: shards }, (_, shard) => join(root, `shard-${shard + 1}`))
  let places = 0
  for (let test = 0; test < tests; test += 1) {
    const to = join(folders[test % shards] ?? root, "2026-11-18_110640", `Pay ${test}`)
    mkdirSync(to, { recursive: true })
    cpSync(flow, to, { recursive: true })
    const commands = readFileSync(join(to, "commands.json"), "utf8")
      .replaceAll('"name": "Pay"', `"name": "Pay ${test}"`)
      .replaceAll(epoch, (_, rest: string) => String(1_795_000_000_000 + Number(rest) + test * 60_000))
    writeFileSync(join(to, "commands.json"), commands)
    for (const picture of globSync("**/*.png", { cwd: to })) {
      places += picture.match(secret)?.length ?? 0
      writeFileSync(join(to, picture), randomBytes(pictureBytes))
    }
    for (const text of globSync("**/*.{json,log,txt}", { cwd: to })) {
      places += readFileSync(join(to, text), "utf8").match(secret)?.length ?? 0
    }
  }
  return { folders, places }
}
