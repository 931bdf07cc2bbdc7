import { parseArgs } from "node:util"
import type { Context } from "./Context.ts"
import { exitCodesText, type ExitCode } from "./ExitCode.ts"
import { unusable } from "./Stopped.ts"

/** A flag: what `parseArgs` of Node takes, and what the help says of it. */
export interface Option {
  readonly type: "string" | "boolean"
  readonly short?: string
  readonly multiple?: boolean
  /** What stands for the value in the help, such as `OWNER`. */
  readonly value?: string
  readonly help: string
}

export type Options = Readonly<Record<string, Option>>

type ValueOf<A extends Option> = A["type"] extends "boolean" ? boolean : string

/** The flags that were given, by their names. */
export type Values<A extends Options> = {
  readonly [Name in keyof A]?: A[Name] extends { readonly multiple: true }
    ? ReadonlyArray<ValueOf<A[Name]>>
    : ValueOf<A[Name]>
}

/** What a command is given: its flags, and the arguments that are no flags. */
export interface Input<A extends Options> {
  readonly values: Values<A>
  readonly positionals: ReadonlyArray<string>
}

/** What a command says and does. `run` imports what it needs when it runs, so that the program starts fast. */
export interface CommandOf<A extends Options> {
  /** One or two words: `comment`, `upload build`. */
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** The arguments that are no flags, as the help shows them: `PATH…`. Empty when it takes none. */
  readonly takes: string
  /** What a reader of `--help` needs beyond the summary and the flags: paragraphs, with lines of at most 100 characters. */
  readonly about: string
  readonly options: A
  readonly run: (input: Input<A>, context: Context) => Promise<ExitCode>
}

/** A command as the program sees it. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** The text of `--help`; `program` is the name that the user typed: `slipway-ci` or `slipway`. */
  readonly help: (program: string) => string
  /** Parses what follows the name of the command, and runs it. Throws a `Stopped` for arguments that don't fit. */
  readonly run: (args: ReadonlyArray<string>, context: Context) => Promise<ExitCode>
}

const flag = (name: string, { short, value }: Option): string =>
  `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`

const optionLines = (options: Options): string => {
  const rows = Object.entries(options).map(([name, option]) => [flag(name, option), option.help] as const)
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows
    .map(([left, help]) => `  ${left.padEnd(width)}  ${help.replaceAll("\n", `\n${" ".repeat(width + 4)}`)}`)
    .join("\n")
}

/** Makes a command. Its flags are checked, and their types follow from `options`. */
export const command = <const A extends Options>(made: CommandOf<A>): Command => ({
  name: made.name,
  summary: made.summary,
  help: (program) =>
    [
      `${program} ${made.name} [flags]${made.takes === "" ? "" : ` ${made.takes}`}`,
      made.summary,
      made.about,
      `Flags:\n${optionLines(made.options)}`,
      exitCodesText
    ].join("\n\n"),
  run: (args, context) => {
    const { positionals, values } = parsed(made, args)
    return made.run({ values, positionals }, context)
  }
})

const parsed = <A extends Options>({ name, options, takes }: CommandOf<A>, args: ReadonlyArray<string>): Input<A> => {
  try {
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: takes !== "" })
    // The types that parseArgs infers are those of its own options; these are the same by construction.
    return { positionals, values: values as Values<A> }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw unusable(`${error.message}\n\`${name} --help\` lists the flags.`)
  }
}
