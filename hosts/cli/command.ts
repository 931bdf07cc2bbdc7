import { Command } from "effect/cli"
import { conformance } from "../../conformance/command.ts"
import { commandNames } from "../ci/commandNames.ts"
import { account } from "./commands/account.ts"
import { build, preview, run } from "./commands/deletion.ts"
import { doctor } from "./commands/doctor.ts"
import { event } from "./commands/event.ts"
import { gc } from "./commands/gc.ts"
import { health } from "./commands/health.ts"
import { keep } from "./commands/keep.ts"
import { key } from "./commands/key.ts"
import { audit } from "./commands/audit.ts"
import { backup, copy, restore } from "./commands/backup.ts"
import { repo } from "./commands/repo.ts"
import { serve } from "./commands/serve.ts"
import { share } from "./commands/share.ts"
import { usage } from "./commands/usage.ts"
import { webhook } from "./commands/webhook.ts"

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
