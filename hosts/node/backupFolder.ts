/** A folder of backups, as `examples/deploy/systemd/slipway-backup` fills it. */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"

/** The file that says that the last backup failed. */
const failed = "failed"

/** When the newest complete backup was made, in milliseconds, 0 if there is none; and whether a later one failed. */
interface LastBackup {
  readonly madeAt: number
  readonly isFailed: boolean
}

/** The state of a folder of backups. Throws the error of the system if it can't be read. */
export const lastBackup = (folder: string): LastBackup => {
  const names = readdirSync(folder)
  const times = names
    .filter((name) => name.endsWith(".tar"))
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return { madeAt: Math.max(0, ...times), isFailed: names.includes(failed) }
}
