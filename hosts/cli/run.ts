import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Runtime } from "effect"
import { CliError, Command } from "effect/cli"
import packageJson from "slipway/package.json" with { type: "json" }
import * as logger from "../node/logger.ts"
import { SettingRefused } from "../node/settings/settings.ts"
import * as output from "./parts/formatter.ts"
import { runMain } from "./parts/runMain.ts"

/**
 * The exit codes. 0: the command succeeded, or a host was stopped. 1: refused or failed. 2: an invalid flag, argument
 * or setting. 130: interrupted. An error may define its own code.
 */
const exitCode = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return 0
  if (Cause.hasInterruptsOnly(exit.cause)) return 130
  const error = Cause.squash(exit.cause)
  return CliError.isCliError(error) || error instanceof SettingRefused ? 2 : Runtime.getErrorExitCode(error)
}

/** Prints one line for a refusal of the program of this name, and the whole cause for an unexpected failure. */
const report = (program: string) => (cause: Cause.Cause<unknown>) =>
  Effect.suspend(() => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.void
    const error = Cause.squash(cause)
    if (CliError.isCliError(error)) return Effect.void
    const text = Cause.hasDies(cause) || !(error instanceof Error) ? Cause.pretty(cause) : error.message
    return Console.error(`${program}: ${text}`)
  })

/**
 * Runs a command with its arguments, and returns its exit code. Its output goes to the Console, its errors to the
 * Console's error output.
 */
export const runWith = <Name extends string, Input, E, R, ContextInput>(
  command: Command.Command<Name, Input, ContextInput, E, R>,
  args: ReadonlyArray<string>
) =>
  Command.runWith(command, { version: packageJson.version })(args).pipe(
    Effect.tapCause(report(command.name)),
    Effect.provide([logger.layer, output.layer]),
    Effect.exit,
    Effect.map(exitCode)
  )

/** Runs a command as the main program of this process. */
export const runCli = <Name extends string, Input, E, ContextInput>(
  command: Command.Command<Name, Input, ContextInput, E, NodeServices.NodeServices>
): void =>
  Command.run(command, { version: packageJson.version }).pipe(
    Effect.tapCause(report(command.name)),
    Effect.provide([NodeServices.layer, logger.layer, output.layer]),
    runMain({
      disableErrorReporting: true,
      teardown: (exit, onExit) => onExit(exitCode(exit))
    })
  )
