import { existsSync } from "node:fs"
import { join } from "node:path"

/**
 * The file of a test, for an annotation: `undefined` if the checkout in this folder doesn't have it. Maestro without a report gives only
 * the name of a flow's file, and a path of another job may not exist here. Without a checkout, the path is as it was reported.
 */
export const checkedOutFile = (cwd: string, file: string | undefined): string | undefined =>
  file === undefined || !existsSync(join(cwd, ".git")) || existsSync(join(cwd, file)) ? file : undefined
