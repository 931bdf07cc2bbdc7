import type { Command } from "./command/Command.ts"
import { uploadBuild } from "./commands/uploadBuild.ts"

/** All commands, in the order that the help lists them. */
export const commands: ReadonlyArray<Command> = [uploadBuild]
