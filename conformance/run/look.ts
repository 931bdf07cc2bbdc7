/**
 * A check of the settings before a run: one read for each key and repository, so that a wrong setting isn't judged as a
 * fault.
 */
import { Effect } from "effect"
import type { Profile } from "../checks/steps/Check.ts"
import type { Config } from "../config/Config.ts"
import { Refused } from "../config/Refused.ts"
import { KeyName, type AccountName, type Answer } from "../session/Exchange.ts"
import { keyHeader } from "../session/keyHeader.ts"
import type { Keys } from "../session/Keys.ts"
import { Transport } from "../session/transport.ts"

/** A read with a key, of a repository's resources. */
interface Look {
  readonly account: AccountName
  readonly key: KeyName
  /** Whose linked repository is read; that of the account itself, unless the keys are tried the other way round. */
  readonly of: AccountName
  readonly profile: Profile
}

interface Seen extends Look {
  /** `undefined` when none came in time. */
  readonly answer: Answer | undefined
}

/** The timeout of this check in milliseconds, even if the config allows longer answers. */
const most = 2400

/** The profiles whose endpoints each key can read. */
const readable: Readonly<Record<KeyName, ReadonlyArray<Profile>>> = {
  all: ["testRuns", "builds", "previews"],
  builds: ["builds"],
  previewUpload: ["previews"],
  testRuns: ["testRuns"],
  withoutBuilds: ["testRuns", "previews"],
  withoutPreviewUpload: ["testRuns", "builds"],
  withoutTestRuns: ["builds", "previews"]
}

const pathOf = ({ of, profile }: Look, { accounts }: Config): string => {
  const { owner, repo } = accounts[of].linked
  const named = { builds: { owner, repo, branch: "conformance-look", platform: "ios" }, testRuns: { org: owner, repo } }
  if (profile === "previews") return "/previews/conformance-look"
  return profile === "builds"
    ? `/builds?${new URLSearchParams(named.builds).toString()}`
    : `/test-runs?${new URLSearchParams(named.testRuns).toString()}`
}

const looksOf = (config: Config, keys: Keys): ReadonlyArray<Look> =>
  (["a", "b"] as const).flatMap((account) =>
    KeyName.literals.flatMap((key) => {
      const profile = readable[key].find((one) => config.profiles.includes(one))
      return profile === undefined || keys[account][key] === undefined ? [] : [{ account, key, of: account, profile }]
    })
  )

const isAnswered = ({ answer }: Seen, ...statuses: ReadonlyArray<number>): boolean =>
  answer !== undefined && statuses.includes(answer.status)

const settingOf = ({ account, key }: Look): string => `accounts.${account}.keys.${key}`

const isPage = ({ answer }: Seen): boolean =>
  answer !== undefined && answer.json === undefined && /<(?:!doctype|html)[\s>]/i.test(answer.text)

/** What is wrong with the settings as a whole, judged by every read together. */
const nothingFits = (seen: ReadonlyArray<Seen>, { bindings, url }: Config): string | undefined => {
  const [first] = seen
  if (first === undefined) return undefined
  if (seen.every(isPage)) return `url: ${url} returns a page of HTML for every read; is it the API's base URL?`
  const isApi = url.endsWith("/api/v1")
  const status = first.answer?.status ?? 404
  const sent = `"${bindings.key.header}: ${bindings.key.value}"`
  if (seen.every((one) => isAnswered(one, 404, 405, ...(isApi ? [401, 403] : [])))) {
    const hasList = seen.some(({ profile }) => profile === "testRuns")
    if (isApi) return `url: ${url} returns ${status} for every read; leave /api/v1 out, requests add it`
    // Without a list, 404 is what a read of nothing answers.
    if (!hasList) return undefined
    return `url, bindings.key: every read returns ${status}; is ${url} what stands before /api/v1, does the target read the key from ${sent}, and are the repositories at accounts.a.linked and accounts.b.linked linked?`
  }
  if (seen.length > 1 && seen.every((one) => isAnswered(one, 401, 403))) {
    return `bindings.key: every key is refused (${status}); the run sends it as ${sent}; is that the header that the target reads?`
  }
  return undefined
}

/** What is wrong with single keys and repositories, one line each. */
const mismatches = (seen: ReadonlyArray<Seen>, { accounts }: Config): ReadonlyArray<string> =>
  seen.flatMap((one) => {
    const { account, key, profile } = one
    const setting = settingOf(one)
    if (isAnswered(one, 401)) return `${setting}: the target doesn't know this key (401)`
    if (isAnswered(one, 403) && key !== "all") return `${setting}: refused to read ${profile} (403); has it that scope?`
    const isList = profile === "testRuns" && key === "all"
    if (!isList || !isAnswered(one, 403, 404)) return []
    const { owner, repo } = accounts[account].linked
    return `accounts.${account}.linked: the runs of ${owner}/${repo} are refused to ${setting} (${one.answer?.status ?? 404}); is it linked to that account?`
  })

/**
 * Reads once with each key, for a few seconds at most, and is Refused with the settings that the target doesn't accept,
 * at most eight of them. It creates nothing. It judges nothing else.
 */
export const look = Effect.fnUntraced(function* (config: Config, keys: Keys) {
  const { send } = yield* Transport
  const read = (one: Look) => {
    const key = keys[one.account][one.key]
    const request = {
      method: "GET",
      url: `${config.url}/api/v1${pathOf(one, config)}`,
      headers: { accept: "application/json", ...(key === undefined ? {} : keyHeader(config.bindings.key, key)) },
      body: undefined,
      timeoutMs: Math.min(config.timeoutMs, most)
    }
    return Effect.map(
      Effect.orElseSucceed(send(request), () => undefined),
      (answer): Seen => ({ ...one, answer })
    )
  }
  const looks = looksOf(config, keys)
  const seen = yield* Effect.forEach(looks, read, { concurrency: "unbounded" })
  const lists = seen.filter((one) => one.key === "all" && one.profile === "testRuns" && isAnswered(one, 403, 404))
  const crossed = yield* Effect.forEach(
    lists.length === 2 ? lists : [],
    (one) => read({ ...one, of: one.account === "a" ? "b" : "a" }),
    { concurrency: 2 }
  )
  const isCrossed = crossed.length === 2 && crossed.every((one) => isAnswered(one, 200))
  const whole = isCrossed
    ? "accounts.a, accounts.b: each account's key reads the other's repository; are the keys of a and b exchanged?"
    : nothingFits(seen, config)
  const wrong = whole === undefined ? mismatches(seen, config) : [whole]
  if (wrong.length === 0) return
  const lines = [...wrong.slice(0, 7), ...(wrong.length > 7 ? [`and ${wrong.length - 7} more`] : [])]
  return yield* new Refused({ message: ["The target refuses what the config says:", ...lines].join("\n  ") })
})
