import type { Command } from "./command/Command.ts"
import { comment } from "./commands/comment.ts"
import { importDetox } from "./commands/importDetox.ts"
import { importJUnit } from "./commands/importJUnit.ts"
import { importMaestro } from "./commands/importMaestro.ts"
import { tests } from "./commands/tests.ts"
import { uploadBuild, uploadPreview } from "./commands/upload.ts"

/** All commands, in the order that the help lists them. */
export const commands: ReadonlyArray<Command> = [
  uploadBuild,
  uploadPreview,
  importMaestro,
  importDetox,
  importJUnit,
  comment,
  tests
]
