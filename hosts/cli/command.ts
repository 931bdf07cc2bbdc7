import { Command } from "effect/cli"
import { conformance } from "../../conformance/command.ts"
import { firstWords } from "../ci/firstWords.ts"
import { account } from "./commands/account.ts"
import { doctor } from "./commands/doctor.ts"
import { event } from "./commands/event.ts"
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
      `On a CI machine: slipway ${firstWords.join(", slipway ")}; each tells more with --help.`
  ),
  Command.withSubcommands([
    serve,
    doctor,
    account,
    key,
    repo,
    share,
    event,
    webhook,
    usage,
    audit,
    backup,
    restore,
    copy,
    conformance
  ])
)
