import type { Context } from "../command/Context.ts"
import type { Options, Values } from "../command/Command.ts"
import { unusable } from "../command/Stopped.ts"
import { plainLine } from "../command/plainText.ts"
import { ciDetailsOf } from "./ciDetails.ts"
import { readCiEnvironment } from "./ciEnvironment.ts"
import { commitOf, readCommit, readGitCheckout } from "./git.ts"
import { identityIn, type IdentitySource } from "./identity.ts"
import { newKey } from "./newKey.ts"
import type { Provenance } from "./Provenance.ts"

/** The settings from flags, variables, the CI and git. */
export interface Settings extends Provenance {
  /** The host's address. */
  readonly url?: string | undefined
  /** An API key. */
  readonly key?: string | undefined
  /** The URL of the CI's identity tokens, which replace a key. */
  readonly identity?: IdentitySource | undefined
  /** The name of the CI, if it is known. */
  readonly ci?: string | undefined
  /** The source of each setting: a flag, variables, or git. */
  readonly from: ReadonlyMap<string, string>
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

type SettingName = keyof typeof settingOptions

const settingNames = ["url", "key", "owner", "repo", "branch", "commit", "pr", "base", "source"] as const

/** The flag of every command with a dry run. */
export const dryRunOption = {
  "dry-run": { type: "boolean", help: "print what was detected, and from which variable; send no request" }
} satisfies Options

/** The variable that stands for a flag. */
const variable = (name: SettingName): string => `SLIPWAY_${name.toUpperCase()}`

/** A text without the space around it, as a secret often ends with a line break; an empty one is one that isn't set. */
const trimmed = (text: string | undefined): string | undefined => text?.trim() || undefined

const commitForm = /^[0-9a-f]{40}$/i

/** The hash of a commit, which the checkout completes if only its beginning is given. */
const wholeCommit = async (given: string | undefined, cwd: string): Promise<string | undefined> => {
  if (given === undefined || commitForm.test(given)) return given
  const whole = /^[0-9a-f]{4,39}$/i.test(given) ? await commitOf(cwd, given) : undefined
  if (whole !== undefined) return whole
  throw unusable(
    `--commit (SLIPWAY_COMMIT) must be 40 hexadecimal digits, and is ${JSON.stringify(given)}, which is no commit of this checkout.`
  )
}

/** The longest name of an app. */
const longestApp = 100

/** The settings of a command: a flag overrides its variable, which overrides the CI's, which override git. */
export const settingsOf = async (
  values: Values<typeof settingOptions>,
  { cwd, env }: Pick<Context, "cwd" | "env">
): Promise<Settings> => {
  const given = (name: SettingName) => {
    const flag = trimmed(values[name])
    return flag === undefined
      ? { text: trimmed(env[variable(name)]), from: variable(name) }
      : { text: flag, from: `--${name}` }
  }
  const commit = await wholeCommit(given("commit").text, cwd)
  const pr = given("pr").text
  if (pr !== undefined && !/^[1-9]\d{0,14}$/.test(pr)) {
    throw unusable(`--pr (SLIPWAY_PR) must be the number of a pull request, and is ${JSON.stringify(pr)}.`)
  }
  const app = given("app").text
  if (app !== undefined && (app.length > longestApp || plainLine(app) !== app)) {
    throw unusable(
      `--app (SLIPWAY_APP) must be one line of at most ${longestApp} characters, and is ${JSON.stringify(app)}.`
    )
  }
  const { ci, from: fromCi, provenance } = await readCiEnvironment(env)
  const known = {
    owner: given("owner").text ?? provenance.owner,
    repo: given("repo").text ?? provenance.repo,
    branch: given("branch").text ?? provenance.branch,
    commit: commit ?? provenance.commit
  }
  const git = Object.values(known).includes(undefined) ? await readGitCheckout(cwd) : {}
  // An owner of one and a name of the other would be a repository that nobody meant.
  const isWhole = known.owner !== undefined || known.repo !== undefined
  const settings = {
    url: given("url").text,
    key: given("key").text,
    owner: isWhole ? known.owner : git.owner,
    repo: isWhole ? known.repo : git.repo,
    branch: known.branch ?? git.branch,
    commit: (known.commit ?? git.commit)?.toLowerCase(),
    pr: pr === undefined ? provenance.pr : Number(pr),
    base: given("base").text ?? provenance.base,
    source: given("source").text ?? provenance.source,
    app
  }
  const shown = settings.commit === undefined ? undefined : await readCommit(cwd, settings.commit)
  const details = {
    commitMessage: shown?.commitMessage ?? provenance.commitMessage,
    author: shown?.author ?? provenance.author,
    job: trimmed(env["SLIPWAY_JOB"]) ?? provenance.job
  }
  const variables = new Map(Object.entries(fromCi))
  const from = settingNames.flatMap((name) => {
    if (settings[name] === undefined) return []
    const { from, text } = given(name)
    return [[name, text === undefined ? (variables.get(name) ?? "git") : from] as const]
  })
  return { ...settings, ...details, isFork: provenance.isFork, identity: identityIn(env), ci, from: new Map(from) }
}

const ciText = ({ ci }: Settings): string => (ci === undefined ? "No known CI was detected." : `The CI is ${ci}.`)

/** What a job needs in the place of a key, on a CI that gives an identity to jobs that ask for it. */
const instead = ({ ci, url = "https://slipway.example" }: Settings): string | undefined =>
  ci === "GitHub Actions"
    ? "permissions: { contents: read, id-token: write }"
    : ci === "GitLab CI"
      ? `id_tokens: { SLIPWAY_ID_TOKEN: { aud: ${JSON.stringify(url)} } }`
      : undefined

/** The settings, of which the named ones are required. The message lists all missing ones at once. */
export const required = <Name extends SettingName>(
  settings: Settings,
  ...names: ReadonlyArray<Name>
): Settings & { readonly [A in Name]: NonNullable<Settings[A]> } => {
  if (names.some((name) => settings[name] === undefined)) {
    const needed = new Set<SettingName>(["url", ...(settings.identity === undefined ? ["key" as const] : []), ...names])
    const line = (name: SettingName) =>
      `  --${name} or ${variable(name)}: ${settingOptions[name].help.replaceAll("\n", " ").replace(/ \(.*/, "")}${needed.has(name) ? "" : " (not needed here)"}`
    const lines = settingNames.filter((name) => settings[name] === undefined).map(line)
    const keyless = settings.key === undefined && settings.identity === undefined ? instead(settings) : undefined
    const hint = [
      needed.has("key") && settings.key === undefined
        ? `\nA secret that this job may not read is empty. The operator of the host creates a key with:\n${newKey}`
        : "",
      keyless === undefined ? "" : `\nIf the host trusts the repository, the job needs no key, but ${keyless}.`
    ].join("")
    throw unusable(
      `Missing settings, which neither a flag, a variable, the CI nor git has:\n${lines.join("\n")}\n${ciText(settings)}${hint}`
    )
  }
  // Each of the names has a value.
  return settings as Settings & { readonly [A in Name]: NonNullable<Settings[A]> }
}

/** What was detected, for a dry run: each setting, and its flag, variables or tool. No key is shown. */
export const detectedLines = (settings: Settings): ReadonlyArray<string> => [
  ciText(settings),
  ...settingNames.map((name) => {
    const shown = name === "key" && settings.key !== undefined ? "set" : settings[name]
    const from = settings.from.get(name)
    const unknown = name === "key" && settings.identity !== undefined ? "none, but the CI's identity" : "unknown"
    return `  ${name.padEnd(6)} ${shown ?? unknown}${from === undefined ? "" : ` (${from})`}`
  }),
  ...(settings.app === undefined ? [] : [`  app    ${settings.app}`]),
  ...Object.entries(ciDetailsOf(settings)).flatMap(([name, text]) =>
    name === "base" ? [] : [`  ${name.padEnd(6)} ${plainLine(text, 100)}`]
  )
]
