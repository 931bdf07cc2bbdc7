import { Console, Layer } from "effect"
import { CliOutput } from "effect/cli"

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
export const layer = Layer.merge(CliOutput.layer(formatter), CliOutput.layerPresenter(presenter))
