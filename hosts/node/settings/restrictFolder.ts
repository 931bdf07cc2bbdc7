import { chmodSync, statSync } from "node:fs"

const ofOthers = 0o077
const ofStrangers = 0o007

const shown = (mode: number): string => mode.toString(8).padStart(3, "0")

/**
 * Removes the permissions of other users on an existing folder that belongs to the user of this process. Returns a
 * warning of one line when it did, or when it can't; `undefined` when nothing is wrong, and on systems without such
 * rights.
 */
export const restrictFolder = (folder: string): string | undefined => {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found === undefined || process.getuid === undefined) return undefined
  const mode = found.mode & 0o777
  if (found.uid !== process.getuid()) {
    return (mode & ofStrangers) === 0
      ? undefined
      : `Every user of this machine can open the data folder ${folder} (mode ${shown(mode)}): chmod o= ${folder}`
  }
  if ((mode & ofOthers) === 0) return undefined
  const restricted = mode & ~ofOthers
  chmodSync(folder, restricted)
  return `Other users could open the data folder ${folder} (mode ${shown(mode)}): its mode is ${shown(restricted)} now.`
}
