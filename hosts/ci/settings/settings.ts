import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { objectOf, refusalOf } from "../../client/Platform.ts"
import { attempt, endingAfter, realTiming, refusedCertificate, retrying } from "../../client/retrying.ts"
import { type CiDetails, type Client, createClient, SlipwayError } from "../../client/index.ts"
import { type Context, ExitCode, Stopped, unusable } from "../command/Context.ts"
import { settingOptions, type Values } from "../command/options.ts"
import { plainLine, plainLines } from "../../../core/model/plainText.ts"
import { type Provenance, readCiEnvironment, repositoryOf, type Variables } from "./ciEnvironment.ts"

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

type SettingName = keyof typeof settingOptions

const settingNames = ["url", "key", "owner", "repo", "branch", "commit", "pr", "base", "source"] as const

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
  const { ci, from: fromCi, provenance } = readCiEnvironment(env)
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

/** What a host is sent of the commit and the job, cut to the limits of a host. `hide` removes secrets. */
export const ciDetailsOf = (
  { author, base, commitMessage, job }: Provenance,
  hide: (text: string) => string = (text) => text
): CiDetails => {
  const line = (text = "") => plainLine(hide(text)) || undefined
  return withoutUndefined({
    commitMessage: plainLines(hide(commitMessage ?? ""), 500) || undefined,
    author: line(author),
    base: line(base),
    job: line(job)
  })
}

/** What a host is sent of where a run or an app comes from. */
export const gitDetailsOf = ({ app, branch, commit: commitSha, pr }: Provenance) =>
  withoutUndefined({ branch, commitSha, pr, app })

const run = promisify(execFile)

/** What git answers on one line; `undefined` where there is no git, no repository or no answer. */
const ask = (cwd: string, ...args: ReadonlyArray<string>): Promise<string | undefined> =>
  run("git", [...args], { cwd }).then(
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined
  )

/**
 * The head commit of a commit that a CI made to try a merge: GitHub's is called `Merge <head> into <base>`, that of Jenkins
 * `Merge commit '<head>' into HEAD`. People's merges name branches.
 */
const merged = /^Merge (?:commit ')?([0-9a-f]{40})'? into /

/** What the checkout in a folder says. A detached one has no branch. */
const readGitCheckout = async (cwd: string): Promise<Provenance> => {
  const [head, branch, remote] = await Promise.all([
    ask(cwd, "log", "-1", "--format=%H %s"),
    ask(cwd, "branch", "--show-current"),
    ask(cwd, "remote", "get-url", "origin")
  ])
  const [, sha, subject = ""] = /^([0-9a-f]{40}) (.*)$/.exec(head ?? "") ?? []
  return { ...repositoryOf(remote), branch, commit: merged.exec(subject)?.[1] ?? sha }
}

/** What the checkout says of a commit, if it has it: a CI often fetches only the merge that it made of a pull request. */
const readCommit = async (cwd: string, commit: string): Promise<Pick<Provenance, "author" | "commitMessage">> => {
  const shown = await ask(cwd, "log", "-1", "--format=%an%x00%B", commit)
  const [author, commitMessage] = shown?.split("\0") ?? []
  return { author, commitMessage }
}

/** The whole hash of the one commit of the checkout whose hash begins so, if there is one. */
const commitOf = (cwd: string, beginning: string): Promise<string | undefined> =>
  ask(cwd, "rev-parse", "--verify", "--quiet", `${beginning}^{commit}`)

/** The command that makes a key with every scope of CI. */
const newKey =
  "  slipway key create --account ACCOUNT --name ci --scope builds --scope preview_upload --scope test_runs"

// The identity that a CI gives its jobs, which a host exchanges for a key.

/** The source of a CI's identity tokens. */
interface IdentitySource {
  /** The flags of `slipway repo trust` for tokens of this CI. */
  readonly trust: string
  /** Answers a token for a host. Rejects with a `SlipwayError`. */
  readonly token: (audience: string) => Promise<string>
}

const requestMs = 30_000

/** The object that a request answers; an empty one where the answer has no body. */
const answered = (name: string, url: string | URL, init: RequestInit, signal?: AbortSignal): Promise<object> =>
  attempt(name, undefined, async () => {
    const response = await fetch(url, { ...init, signal: endingAfter(requestMs, signal) })
    const { headers, status } = response
    const answer = { status, header: (header: string) => headers.get(header), text: await response.text() }
    if (!response.ok) throw refusalOf(name, answer, Date.now())
    return status === 204 ? {} : objectOf(name, answer)
  })

/** The same, tried again after transient failures: a request that may be repeated. */
export const requestJson = (name: string, url: string, init: RequestInit, signal: AbortSignal): Promise<object> =>
  retrying(() => answered(name, url, init, signal), {
    again: "whatever passes",
    retries,
    signal,
    timing: realTiming
  })

/** The text in a field of the object that a request answers. */
const textOf = async (name: string, url: string | URL, init: RequestInit, wanted: string): Promise<string> => {
  const found: unknown = Reflect.get(await answered(name, url, init), wanted)
  if (typeof found === "string") return found
  throw new SlipwayError(name, { code: "answer_unreadable", detail: `The answer has no ${wanted}.` })
}

/** The token that a program of the CI prints. */
const printed = async (env: Variables, program: string, ...args: ReadonlyArray<string>): Promise<string> => {
  try {
    return (await run(program, [...args], { env, timeout: requestMs })).stdout.trim()
  } catch (cause) {
    const detail = "it printed no identity token, and there is no SLIPWAY_KEY"
    throw new SlipwayError(program, { code: "refused", detail, cause })
  }
}

/**
 * The source of identity that the CI offers, if any: a variable on GitLab, a request on GitHub, a program on CircleCI and Buildkite.
 *
 * - https://docs.github.com/en/actions/reference/security/oidc#methods-for-requesting-the-oidc-token
 * - https://docs.gitlab.com/ci/secrets/id_token_authentication/
 * - https://circleci.com/docs/oidc-tokens-with-custom-claims/
 * - https://buildkite.com/docs/agent/cli/reference/oidc
 */
const identityIn = (env: Variables): IdentitySource | undefined => {
  const given = env["SLIPWAY_ID_TOKEN"]?.trim()
  const ofCircle = env["CIRCLE_OIDC_TOKEN_V2"]
  const [url, authorization] = [env["ACTIONS_ID_TOKEN_REQUEST_URL"], env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"]]
  if (url && authorization) {
    return {
      trust: "--github",
      token: (audience) => {
        const asked = new URL(url)
        asked.searchParams.set("audience", audience)
        return textOf(
          "GitHub's identity token",
          asked,
          { headers: { authorization: `Bearer ${authorization}` } },
          "value"
        )
      }
    }
  }
  if (ofCircle) {
    return {
      trust: `--circleci ${env["CIRCLE_ORGANIZATION_ID"] || "ORGANIZATION_ID"}`,
      // The token of the variable is for the whole organization, and the only one on a server without that program.
      token: (audience) =>
        printed(env, "circleci", "run", "oidc", "get", "--claims", JSON.stringify({ aud: audience })).catch(
          () => ofCircle
        )
    }
  }
  if (given) {
    const server = env["CI_SERVER_URL"] ?? "https://gitlab.com"
    return {
      trust: server === "https://gitlab.com" ? "--gitlab" : `--gitlab --issuer ${server}`,
      token: () => Promise.resolve(given)
    }
  }
  if (env["BUILDKITE"] === "true") {
    const { BUILDKITE_ORGANIZATION_ID: owner = "ID", BUILDKITE_PIPELINE_ID: pipeline = "ID" } = env
    const claims = ["--claim", "organization_id", "--claim", "pipeline_id"]
    return {
      trust: `--buildkite --repository-id ${pipeline} --owner-id ${owner}`,
      token: (audience) => printed(env, "buildkite-agent", "oidc", "request-token", "--audience", audience, ...claims)
    }
  }
  return undefined
}

/** Asks the CI for a token, and exchanges it at the host for a key of fifteen minutes. A token of GitHub is good for one exchange. */
const keyFor = (host: string, identity: IdentitySource, repository: string | undefined): Promise<string> =>
  retrying(
    async () => {
      const audience = host.replace(/\/+$/, "")
      const token = await identity.token(audience)
      const exchange = "/api/v1/token-exchange"
      const json = { "content-type": "application/json" }
      const init = { method: "POST", headers: json, body: JSON.stringify({ token, repository }) }
      return textOf(`POST ${exchange}`, audience + exchange, init, "key")
    },
    { again: "whatever passes", retries: 4, signal: undefined, timing: realTiming }
  )

/** The settings that a refusal depends on. */
type Asked = Pick<Settings, "identity" | "key" | "owner" | "repo">

/** The command by which a host trusts the CI of the repository. */
const trustCommand = ({ identity, owner = "OWNER", repo = "NAME" }: Asked): string =>
  `  slipway repo trust ${owner}/${repo} ${identity?.trust ?? ""}`

/** What to do about a certificate that Node refuses; `undefined` for an error of another kind. */
const certificateHint = (error: SlipwayError): string | undefined => {
  switch (refusedCertificate(error)) {
    case undefined:
      return undefined
    case "CERT_HAS_EXPIRED":
      return "Ask the operator of the host to renew its certificate. If only this machine refuses it, check the clock."
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return "The certificate is for another name: is SLIPWAY_URL the host's address?"
    default:
      return "If an authority of your own signed the certificate, name its file in NODE_EXTRA_CA_CERTS."
  }
}

/** The command that fixes a refusal, if there is one. */
const hintFor = (error: SlipwayError, asked: Asked): string | undefined => {
  const { code, problem, status } = error
  const { identity, key, owner = "OWNER", repo = "REPO" } = asked
  // The key is one that the host issued for the identity of the CI.
  if (key === undefined && identity !== undefined) {
    if (problem?.code === "insufficient_scope") {
      const lacking = problem.requiredScopes.join(" and ")
      return `The trust rule of ${owner}/${repo} doesn't allow ${lacking}. Ask the operator of the host to replace it, with the conditions that \`slipway repo trust list\` shows:\n${trustCommand(asked)}`
    }
    if (code === "unauthorized") {
      return "The key that the host issued for this job was revoked, or its 15 minutes are over. Run the command again."
    }
  }
  if (problem?.code === "insufficient_scope") {
    const more = problem.requiredScopes.filter((scope) => !newKey.includes(scope)).map((scope) => ` --scope ${scope}`)
    return `The key in SLIPWAY_KEY lacks ${problem.requiredScopes.join(" and ")}. Ask the operator of the host to create a key with the scopes:\n${newKey}${more.join("")}`
  }
  switch (code) {
    case "unauthorized":
      return `The key is unknown, revoked, expired or truncated. Check the secret SLIPWAY_KEY, or ask the operator of the host to create another:\n${newKey}`
    case "not_found":
      return (
        `The repository ${owner}/${repo} is not linked to the key's account. Check --owner and --repo, or ask the operator of the host to link it:\n` +
        `  slipway repo link ${owner}/${repo} --account ACCOUNT`
      )
    case "connection_failed":
    case "timed_out":
      return certificateHint(error) ?? "Is SLIPWAY_URL the host's address, and can this machine reach it?"
    default:
      return status === 404 || code === "answer_unreadable"
        ? "Is SLIPWAY_URL the address of a Slipway host?"
        : undefined
  }
}

/** Nothing for a host that is too old to have what was asked for. */
export const unlessTooOld = (error: unknown): undefined => {
  if (!(error instanceof SlipwayError) || (error.status !== 404 && error.status !== 405)) throw error
}

/** What a refusal of the host, or its silence, is to the user; `undefined` of any other error. */
export const hostRefusal = (error: unknown, asked: Asked = {}): Stopped | undefined => {
  if (!(error instanceof SlipwayError)) return undefined
  const request = error.requestId === undefined ? "" : ` (request ${error.requestId})`
  const hint = hintFor(error, asked)
  // A body that can't be read is an input, not the host's.
  const code = error.code === "body_unfit" ? ExitCode.usage : ExitCode.host
  // Another server may answer with a whole page.
  const message = error.message.replaceAll(/\s+/g, " ").slice(0, 400)
  return new Stopped(code, `${message}${request}${hint === undefined ? "" : `\n${hint}`}`)
}

/** How often a request is tried again: a host that is restarted may be away for half a minute. */
const retries = 6

const ofFork = new Stopped(
  ExitCode.done,
  "Nothing was sent: a pull request from a fork gets no key (SLIPWAY_KEY), and no identity of the repository."
)

/** The given key; else one that the host issues for the identity of the CI. */
const keyOf = async (settings: Settings, url: string): Promise<string> => {
  const { identity, isFork, key, owner, repo } = settings
  if (key !== undefined) return key
  if (identity !== undefined) {
    const repository = owner === undefined || repo === undefined ? undefined : `${owner}/${repo}`
    return keyFor(url, identity, repository).catch((error: unknown) => {
      if (!(error instanceof SlipwayError) || error.code !== "unauthorized") throw error
      if (isFork === true) throw ofFork
      const hint = `Check that SLIPWAY_URL is the host's address, and ask its operator to trust this repository:`
      throw new Stopped(ExitCode.host, `${error.message}\n${hint}\n${trustCommand(settings)}`)
    })
  }
  if (isFork === true) throw ofFork
  return required(settings, "key").key
}

/** A client of the host that the settings name, and its key. */
const connect = async (settings: Settings): Promise<readonly [client: Client, key: string]> => {
  const { url } = required(settings, "url")
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw unusable(`SLIPWAY_URL must be an http(s) URL, and is ${JSON.stringify(url)}.`)
  const key = await keyOf(settings, url)
  try {
    return [createClient({ url, key, retries }), key]
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw unusable(`SLIPWAY_KEY doesn't fit: ${error.message}.`)
  }
}

/** Sends requests to the host that the settings name. A refusal is reported with its fix. */
export const asking = async <A>(settings: Settings, ask: (client: Client, key: string) => Promise<A>): Promise<A> => {
  const [client, key] = await connect(settings)
  return ask(client, key).catch((error: unknown) => {
    throw hostRefusal(error, settings) ?? error
  })
}
