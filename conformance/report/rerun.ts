import { commandName } from "../config/commandName.ts"
import type { Report } from "./Report.ts"
import { shellWord } from "./shell.ts"

/**
 * The command that makes one check of a report again, and nothing else. The keys, and what else a config file says, are to
 * be there as they were: `configFile` names it where it isn't the usual one.
 */
export const rerun = (
  { config, run }: Pick<Report, "config" | "run">,
  checkId: string,
  configFile: string | undefined
): string =>
  [
    `npx ${commandName}`,
    ...(configFile === undefined ? [] : ["--config", shellWord(configFile)]),
    "--url",
    shellWord(config.url),
    "--only",
    shellWord(checkId),
    ...(run.readOnly ? ["--read-only"] : [])
  ].join(" ")
