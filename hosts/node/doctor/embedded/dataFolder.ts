import { Effect } from "effect"
import { existsSync, mkdtempSync, rmdirSync } from "node:fs"
import { statfs } from "node:fs/promises"
import { dirname, join } from "node:path"
import { dataFolder } from "../../settings/dataFolder.ts"
import { fine, orWrong, wrong, type Finding } from "../parts/Finding.ts"
import { codeOf } from "../../engineErrors/networkFault.ts"

/** The folder itself, or its nearest parent that exists. */
const nearest = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder))

/**
 * Whether the folder can be written to. Creates and removes a folder in it, or in the parent where it would be created.
 */
const writable = (root: string): Effect.Effect<Finding> => {
  const place = nearest(root)
  const name = "data folder"
  return Effect.try(() => rmdirSync(mkdtempSync(join(place, ".slipway-doctor-")))).pipe(
    Effect.as(
      fine(name, place === root ? `${root} can be written` : `${root} is not there yet; the first start makes it`)
    ),
    orWrong(name, (error) => ({
      detail: `${root} can't be written (${codeOf(error)})`,
      hint: "let the user that Slipway runs as write to it, or name another folder in SLIPWAY_DATA"
    }))
  )
}

const gibibytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`

/** Whether there is room for the largest allowed reservation. */
const room = (root: string, totalBytes: number): Effect.Effect<Finding> => {
  const name = "disk"
  return Effect.tryPromise(() => statfs(nearest(root))).pipe(
    Effect.map(({ bavail, bsize }) => {
      const free = bavail * bsize
      return free < totalBytes
        ? wrong(name, {
            detail: `${gibibytes(free)} are free, and one reservation may take ${gibibytes(totalBytes)}`,
            hint: "free some space, or lower SLIPWAY_MAX_TOTAL_SIZE"
          })
        : fine(name, `${gibibytes(free)} are free`)
    }),
    orWrong(name, (error) => ({ detail: `its free space can't be read (${codeOf(error)})`, hint: "check the disk" }))
  )
}

/** Checks the data folder of the embedded engines. */
export const checkDataFolder = (data: string, totalBytes: number): Effect.Effect<ReadonlyArray<Finding>> => {
  const { root } = dataFolder(data)
  return Effect.all([writable(root), room(root, totalBytes)])
}
