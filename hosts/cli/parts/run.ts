/** Runs a command as the main program of a process: signals, help, errors and exit codes. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Layer, Runtime } from "effect"
import { CliError, CliOutput, Command } from "effect/cli"
import packageJson from "slipway/package.json" with { type: "json" }
import * as logger from "../../node/logger.ts"
import { SettingRefused } from "../../node/settings/settings.ts"

const signals = ["SIGINT", "SIGTERM"] as const

/** Waits until Ctrl-C or `kill` stops the process. For commands that run until then. */
export const shutdownSignal = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  for (const signal of signals) process.once(signal, stop)
  return Effect.sync(() => {
    for (const signal of signals) process.removeListener(signal, stop)
  })
})

/** Runs a program as the main one of this process. A signal interrupts it, unless it waits for one with {@link shutdownSignal}. */
const runMain = Runtime.makeRunMain(({ fiber, teardown }) => {
  let signalled = false
  const onSignal = (signal: NodeJS.Signals) => {
    signalled = true
    if (process.listenerCount(signal) === 1) fiber.interruptUnsafe(fiber.id)
  }
  for (const signal of signals) process.on(signal, onSignal)
  fiber.addObserver((exit) => {
    for (const signal of signals) process.removeListener(signal, onSignal)
    // Without an exit here, the process exits normally after all its output is written.
    teardown(exit, (code) => void (signalled || code !== 0 ? process.exit(code) : undefined))
  })
})

const usual = CliOutput.defaultFormatter()

/** What Effect puts before the message of a schema, in the words of a person. */
const inWords = (text: string): string =>
  text
    .replaceAll("Expected: Schema validation failed: must ", "It must ")
    .replaceAll(/Expected: Schema validation failed: (?=Expected)/g, "")

/** How the command writes its help and its refusals. */
const formatter: CliOutput.Formatter = {
  ...usual,
  formatCliError: (error) => inWords(usual.formatCliError(error)),
  formatError: (error) => inWords(usual.formatError(error)),
  formatErrors: (errors) => inWords(usual.formatErrors(errors))
}

/** Writes help as usual, and an invalid call as one line for each error and a hint. */
const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(
          [
            ...event.errors.map(
              (error) =>
                `${event.commandPath[0]}: ${inWords(error.message)
                  .replaceAll(/\s*\n\s*/g, " ")
                  .trim()}`
            ),
            `Run ${event.commandPath.join(" ")} --help for the flags and arguments.`
          ].join("\n")
        )
      : CliOutput.defaultPresenter.present(event)
}

/** How the command writes its help and its errors. */
const layerOutput = Layer.merge(CliOutput.layer(formatter), CliOutput.layerPresenter(presenter))

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
    Effect.provide([logger.layer, layerOutput]),
    Effect.exit,
    Effect.map(exitCode)
  )

/** Runs a command as the main program of this process. */
export const runCli = <Name extends string, Input, E, ContextInput>(
  command: Command.Command<Name, Input, ContextInput, E, NodeServices.NodeServices>
): void =>
  Command.run(command, { version: packageJson.version }).pipe(
    Effect.tapCause(report(command.name)),
    Effect.provide([NodeServices.layer, logger.layer, layerOutput]),
    runMain({
      disableErrorReporting: true,
      teardown: (exit, onExit) => onExit(exitCode(exit))
    })
  )
