import { parseArgs } from "node:util"
import { type Context, type ExitCode, exitCodesText, unusable } from "./Context.ts"

/** A flag: what `parseArgs` of Node takes, and what the help says of it. */
interface Option {
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
interface CommandOf<A extends Options> {
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
  /** The names of its flags. */
  readonly flags: ReadonlyArray<string>
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
  flags: Object.keys(made.options),
  help: (program) =>
    [
      `${program} ${made.name} [flags]${made.takes === "" ? "" : ` ${made.takes}`}`,
      made.summary,
      made.about,
      ...(Object.keys(made.options).length === 0 ? [] : [`Flags:\n${optionLines(made.options)}`]),
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

/** The flags of every command that sends requests to a host. */
export const settingOptions = {
  url: { type: "string", value: "URL", help: "the host's address (SLIPWAY_URL)" },
  key: { type: "string", value: "KEY", help: "an API key; better in SLIPWAY_KEY, since flags appear in logs" },
  owner: { type: "string", value: "OWNER", help: "the repository's owner (SLIPWAY_OWNER)" },
  repo: { type: "string", value: "NAME", help: "the repository's name (SLIPWAY_REPO)" },
  branch: { type: "string", value: "BRANCH", help: "the branch (SLIPWAY_BRANCH)" },
  commit: { type: "string", value: "SHA", help: "the head commit, 40 hexadecimal digits (SLIPWAY_COMMIT)" },
  pr: { type: "string", value: "NUMBER", help: "the pull request (SLIPWAY_PR)" },
  base: {
    type: "string",
    value: "BRANCH",
    help: "the branch that failures are compared with: by default the pull request's\ntarget, else the repository's default branch (SLIPWAY_BASE)"
  },
  source: {
    type: "string",
    value: "SOURCE",
    help: "which run of which CI, and which attempt: github:1234567/2 (SLIPWAY_SOURCE)"
  },
  app: {
    type: "string",
    value: "NAME",
    help: "which of several apps of the repository, at most 100 characters (SLIPWAY_APP)"
  }
} satisfies Options

/** The flag of every command with a dry run. */
export const dryRunOption = {
  "dry-run": { type: "boolean", help: "print what was detected, and from which variable; send no request" }
} satisfies Options

/** The flag of commands that report test results. */
const failOnOption = {
  "fail-on": {
    type: "string",
    value: "WHAT",
    help: "failed: exit with 1 if a test failed, by its latest attempt\nflaky: also if one passed on a later try\nnew-failures: only if one failed that didn't fail on the base branch too"
  }
} as const

/** The flag of commands that announce or report imports. */
const expectImportsOption = {
  "expect-imports": {
    type: "string",
    value: "NUMBER",
    help: "how many imports this CI run has, of all jobs: until then, it is incomplete\n(SLIPWAY_EXPECT_IMPORTS)"
  }
} as const

/** The flags of all imports. */
export const importOptions = {
  ...dryRunOption,
  json: { type: "boolean", help: "print one JSON object: the runs, and what wasn't imported" },
  strict: { type: "boolean", help: "exit with 2 when anything of the input wasn't imported" },
  ...failOnOption,
  ...expectImportsOption,
  mask: {
    type: "string",
    multiple: true,
    value: "NAME",
    help: "hide the value of this variable, whatever its name; may be given again"
  },
  "no-mask": {
    type: "string",
    multiple: true,
    value: "NAME",
    help: "show the value of this variable, whatever its name, also where a test types it"
  },
  device: { type: "string", value: "NAME", help: "the device, if the results name none" },
  platform: { type: "string", value: "ios|android", help: "the platform, if the results name none" },
  ...settingOptions
} satisfies Options

/** The flags of `comment`. */
export const commentOptions = {
  format: {
    type: "string",
    multiple: true,
    value: "FORMAT",
    help: "markdown: print it\ncomment: write it to the pull request on GitHub, GitLab, Bitbucket, Azure Repos or Gitea\ncheck: write the result of the commit, with the failures: a check run on GitHub,\na commit status elsewhere\nsummary: add it to the summary of the step on GitHub\nerrors: print a line for each failure that GitHub shows beside the files\n(default: on GitHub and Gitea comment, summary and errors, on GitLab, Bitbucket and\nAzure Repos with a token comment, elsewhere markdown; may be given several times)"
  },
  share: {
    type: "string",
    value: "7d",
    help: "add links that open failed and flaky runs, builds and previews without a key, for so long"
  },
  name: {
    type: "string",
    value: "NAME",
    help: "distinguishes this comment and check from others of slipway-ci on the same pull request\n(default: the repository, on GitHub with the workflow); the app is added to it"
  },
  ...failOnOption,
  ...expectImportsOption,
  "if-empty": {
    type: "string",
    value: "WHAT",
    help: "failure, neutral or success: the check of a CI run without test runs, and whether --fail-on\nexits with 1 (SLIPWAY_IF_EMPTY; default: failure)"
  },
  "lenient-reporting": {
    type: "boolean",
    help: "only warn where the comment or the summary can't be written: by default that\nis exit code 2 or 3, and for --format check always"
  }
} satisfies Options

const { app, base, key, owner, repo, source, url } = settingOptions
const ofRepository = { url, key, owner, repo, app }

/** The flags of `tests`. */
export const testsOptions = {
  broken: { type: "boolean", help: "only tests whose last result is failed" },
  flaky: { type: "boolean", help: "only tests with a flaky result among the last 100" },
  branch: { type: "string", value: "BRANCH", help: "the branch whose results count; all by default" },
  json: { type: "boolean", help: "print one JSON object: the tests, as GET /api/v1/tests answers them" },
  ...ofRepository
} satisfies Options

const json = { type: "boolean", help: "print one JSON object" } as const

/** The flags of `runs`. */
export const runsOptions = {
  status: { type: "string", value: "passed|failed", help: "only runs that ended so" },
  kind: { type: "string", value: "maestro|detox", help: "only runs of this kind" },
  source: {
    type: "string",
    value: "SOURCE",
    help: "only runs of this CI run, in all its attempts; tells which failures are new"
  },
  branch: { type: "string", value: "BRANCH", help: "only runs of this branch" },
  pr: { type: "string", value: "NUMBER", help: "only runs of this pull request" },
  limit: { type: "string", value: "NUMBER", help: "how many at most (default: 20)" },
  base,
  json,
  ...ofRepository
} satisfies Options

/** The flags of `run`. */
export const runOptions = {
  download: { type: "string", value: "DIR", help: "save its recordings in this folder" },
  base,
  json,
  url,
  key
} satisfies Options

const ofTest = {
  kind: { type: "string", value: "maestro|detox", help: "the kind of the test, where several have its name" },
  file: { type: "string", value: "FILE", help: "its file, where several have its name" },
  platform: { type: "string", value: "ios|android", help: "its platform, where several have its name" }
} satisfies Options

/** The flags of `quarantine list`. */
export const quarantineListOptions = { json, url, key, owner, repo } satisfies Options

/** The flags of `quarantine remove`. */
export const quarantineRemoveOptions = { ...ofTest, ...ofRepository } satisfies Options

/** The flags of `quarantine add`. */
export const quarantineAddOptions = {
  reason: { type: "string", value: "TEXT", help: "why the test is quarantined; required" },
  assignee: { type: "string", value: "NAME", help: "who fixes the test" },
  days: { type: "string", value: "NUMBER", help: "for how many days, at most 90 (default: 14)" },
  json,
  ...quarantineRemoveOptions
} satisfies Options

/** The flags of `failed`. */
export const failedOptions = {
  format: {
    type: "string",
    value: "FORMAT",
    help: "lines: the names of the tests (default)\nmaestro: the files of the flows\njest, detox: the files, and a pattern of the names"
  },
  source,
  ...ofRepository
} satisfies Options

/** The flags of `shard`. */
export const shardOptions = {
  index: { type: "string", value: "NUMBER", help: "which shard this job is, from 1" },
  of: { type: "string", value: "NUMBER", help: "how many shards there are" },
  before: {
    type: "string",
    value: "TIME",
    help: "only runs registered before this time count; the same in all jobs\n(default: ten minutes before the commit that is checked out)"
  },
  ...ofRepository
} satisfies Options

/** The flags that locate and describe a bundle. */
export const bundleOptions = {
  platform: {
    type: "string",
    value: "ios|android",
    help: "the platform, of a bundle for the web the one that it\nstands for; detected if expo export made only one"
  },
  entry: { type: "string", value: "FILE", help: "the bundle in a folder with several scripts" },
  fonts: {
    type: "string",
    multiple: true,
    value: "FOLDER",
    help: "fonts that are linked into the app's binary, to upload\nbeside the bundle (default: those that the project links)"
  },
  flows: {
    type: "string",
    value: "FOLDER",
    help: "a folder of Maestro flows, to upload beside the bundle:\nthe page plays flows that name others"
  },
  device: { type: "string", value: "WIDTHxHEIGHT", help: "the screen that the app is shown on: 390x844" },
  origin: { type: "string", value: "URL", help: "where the bundle is served from, as far as it asks for files there" },
  "require-replay": {
    type: "boolean",
    help: "exit 2, and send nothing, if it can't replay, will replay\nin part, or its first screen can't be opened in Chromium\n(CHROMIUM)"
  },
  "check-replay": {
    type: "boolean",
    help: "open its first screen in Chromium too, and upload it\nwhatever comes up: the page and the comment show it"
  },
  budget: {
    type: "string",
    multiple: true,
    value: "bundle=2MB",
    help: "exit 1 if the bundle, or all files together (total=5MB),\nare larger; they are uploaded all the same"
  },
  json: { type: "boolean", help: "print what the host answers, as JSON" }
} satisfies Options
