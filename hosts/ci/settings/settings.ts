import type { Context } from "../command/Context.ts"
import type { Options, Values } from "../command/Command.ts"
import { unusable } from "../command/Stopped.ts"
import { toldByCi } from "./cis.ts"
import { commitOf, toldByGit } from "./git.ts"
import { identityIn, type IdentitySource } from "./identity.ts"
import type { Provenance } from "./Provenance.ts"

/** What the flags, the variables, the CI and git tell together. */
export interface Settings extends Provenance {
  /** The host's address. */
  readonly url?: string | undefined
  /** An API key. */
  readonly key?: string | undefined
  /** Where the CI gives out tokens that tell who it is, which take the place of a key. */
  readonly identity?: IdentitySource | undefined
}

/** The flags of every command that asks a host. */
export const settingOptions = {
  url: { type: "string", value: "URL", help: "the host's address (SLIPWAY_URL)" },
  key: { type: "string", value: "KEY", help: "an API key; better in SLIPWAY_KEY, since flags appear in logs" },
  owner: { type: "string", value: "OWNER", help: "the repository's owner (SLIPWAY_OWNER)" },
  repo: { type: "string", value: "NAME", help: "the repository's name (SLIPWAY_REPO)" },
  branch: { type: "string", value: "BRANCH", help: "the branch (SLIPWAY_BRANCH)" },
  commit: { type: "string", value: "SHA", help: "the head commit, 40 hexadecimal digits (SLIPWAY_COMMIT)" },
  pr: { type: "string", value: "NUMBER", help: "the pull request (SLIPWAY_PR)" },
  source: { type: "string", value: "SOURCE", help: "which run of which CI: github:1234567 (SLIPWAY_SOURCE)" }
} satisfies Options

type SettingName = keyof typeof settingOptions

/** The variable that stands for a flag. */
const variable = (name: SettingName): string => `SLIPWAY_${name.toUpperCase()}`

/** The first text that is told and isn't empty: an empty variable is one that isn't set. A secret often ends with a line break. */
const firstTold = (...texts: ReadonlyArray<string | undefined>): string | undefined =>
  texts.map((text) => text?.trim()).find((text) => text !== undefined && text !== "")

const commitForm = /^[0-9a-f]{40}$/i

/** The hash of a commit, which the checkout completes where its beginning is told. */
const wholeCommit = async (told: string | undefined, cwd: string): Promise<string | undefined> => {
  if (told === undefined || commitForm.test(told)) return told
  const whole = /^[0-9a-f]{4,39}$/i.test(told) ? await commitOf(cwd, told) : undefined
  if (whole !== undefined) return whole
  throw unusable(
    `--commit (SLIPWAY_COMMIT) must be 40 hexadecimal digits, and is ${JSON.stringify(told)}, which is no commit of this checkout.`
  )
}

/** The settings of a command: a flag beats its variable, that beats what the CI says, and that beats git. */
export const settingsOf = async (
  values: Values<typeof settingOptions>,
  { cwd, env }: Pick<Context, "cwd" | "env">
): Promise<Settings> => {
  const told = (name: SettingName) => firstTold(values[name], env[variable(name)])
  const commit = await wholeCommit(told("commit"), cwd)
  const pr = told("pr")
  if (pr !== undefined && !/^[1-9]\d{0,14}$/.test(pr)) {
    throw unusable(`--pr (SLIPWAY_PR) must be the number of a pull request, and is ${JSON.stringify(pr)}.`)
  }
  const ci = await toldByCi(env)
  const known = {
    owner: told("owner") ?? ci.owner,
    repo: told("repo") ?? ci.repo,
    branch: told("branch") ?? ci.branch,
    commit: commit ?? ci.commit
  }
  const git = Object.values(known).includes(undefined) ? await toldByGit(cwd) : {}
  // An owner of one and a name of the other would be a repository that nobody meant.
  const isWhole = known.owner !== undefined || known.repo !== undefined
  return {
    url: told("url"),
    key: told("key"),
    owner: isWhole ? known.owner : git.owner,
    repo: isWhole ? known.repo : git.repo,
    branch: known.branch ?? git.branch,
    commit: (known.commit ?? git.commit)?.toLowerCase(),
    pr: pr === undefined ? ci.pr : Number(pr),
    source: told("source") ?? ci.source,
    isFork: ci.isFork,
    identity: identityIn(env)
  }
}

/** The settings, of which the named ones must be told. */
export const required = <Name extends SettingName>(
  settings: Settings,
  ...names: ReadonlyArray<Name>
): Settings & { readonly [A in Name]: NonNullable<Settings[A]> } => {
  const missing = names.filter((name) => settings[name] === undefined)
  if (missing.length > 0) {
    const lines = missing.map(
      (name) => `  --${name} or ${variable(name)}: ${settingOptions[name].help.replace(/ \(.*/, "")}`
    )
    throw unusable(`Neither a flag, nor a variable, nor the CI, nor git tells:\n${lines.join("\n")}`)
  }
  // Each of the names was seen to be told.
  return settings as Settings & { readonly [A in Name]: NonNullable<Settings[A]> }
}
