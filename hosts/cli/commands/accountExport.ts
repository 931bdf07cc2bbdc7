import { Command } from "effect/cli"
import { name } from "../parts/arguments.ts"
import { file, writesBackup } from "./backup.ts"
import { serveFlags } from "./serve.ts"

export const exportAccount = Command.make("export", { ...serveFlags, name, file }, (input) =>
  writesBackup(input, `Exported ${input.name} to`, ({ backUpAccount }) => backUpAccount(input.name))
).pipe(
  Command.withDescription(
    "Write one account into a file for restore, `-` for stdout; without keys, sessions and share links"
  )
)
