import { Command } from "effect/cli"
import { conformance } from "../../conformance/command.ts"
import { commandNames } from "../ci/commandNames.ts"
import { account } from "./commands/account.ts"
import { build, keep, preview, run } from "./commands/resources.ts"
import { doctor, health, serve } from "./commands/serve.ts"
import { event, webhook } from "./commands/webhook.ts"
import { audit, gc, usage } from "./commands/maintenance.ts"
import { key } from "./commands/key.ts"
import { backup, copy, restore } from "./commands/backup.ts"
import { repo } from "./commands/repo.ts"
import { share } from "./commands/share.ts"

/** The whole command: the names, flags and help of its subcommands. The code of a subcommand is loaded when it runs. */
export const command = Command.make("slipway").pipe(
  Command.withDescription(
    "Hosts the JavaScript bundles that mobile teams' CI produces.\n" +
      `On a CI machine: slipway ${commandNames.join(", slipway ")}; each has --help.`
  ),
  Command.withSubcommands([
    serve,
    doctor,
    health,
    account,
    key,
    repo,
    share,
    build,
    preview,
    run,
    event,
    webhook,
    usage,
    keep,
    gc,
    audit,
    backup,
    restore,
    copy,
    conformance
  ])
)
