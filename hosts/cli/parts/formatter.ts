import { CliOutput } from "effect/cli"

const usual = CliOutput.defaultFormatter()

/** What Effect puts before the message of a schema, in the words of a person. */
const inWords = (text: string): string =>
  text
    .replaceAll("Expected: Schema validation failed: must ", "It must ")
    .replaceAll(/Expected: Schema validation failed: (?=Expected)/g, "")

/** How the command writes its help and its refusals. */
export const formatter: CliOutput.Formatter = {
  ...usual,
  formatCliError: (error) => inWords(usual.formatCliError(error)),
  formatError: (error) => inWords(usual.formatError(error)),
  formatErrors: (errors) => inWords(usual.formatErrors(errors))
}
