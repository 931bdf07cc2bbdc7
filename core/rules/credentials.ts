/**
 * The forms and rules of secrets: API keys, reservation tokens, sessions, trusts and share links. Random bytes are passed in.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import Crc32 from "crc-32"
import { DateTime, Duration } from "effect"
import type { ApiKey, Scope, Session, SessionSource } from "../model/ApiKey.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import type { PinnedIds, RepositoryTrust, WorkflowRun } from "../model/Repository.ts"
import type { ShareLink } from "../model/Resource.ts"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const prefix = "slip_"
const keyForm = /^slip_[0-9A-Za-z]{46}$/

/** The SHA-256 of a key or token in lower-case hex. It is stored instead of the secret. */
export const hashSecret = (secret: string): string => bytesToHex(sha256(utf8ToBytes(secret)))

/**
 * `length` base62 characters from random bytes, without bias: bytes from 248 up are skipped. `undefined` when the
 * bytes run out first; twice `length` bytes run out about once in 10^25 times for 40 characters.
 */
export const base62 = (random: Uint8Array, length: number): string | undefined => {
  let out = ""
  for (const byte of random) {
    if (out.length === length) break
    if (byte < 248) out += alphabet.charAt(byte % 62)
  }
  return out.length === length ? out : undefined
}

const checksum = (body: string): string => {
  let rest = Crc32.str(body) >>> 0
  let out = ""
  for (let i = 0; i < 6; i++) {
    out = alphabet.charAt(rest % 62) + out
    rest = Math.floor(rest / 62)
  }
  return out
}

/** An API key from 40 random base62 characters: `slip_`, those, and the CRC-32 of both in 6 base62 characters. */
export const makeKey = (random: string): string => `${prefix}${random}${checksum(prefix + random)}`

/** Whether a string has the form and the checksum of a key. It rejects a mistyped key without a look-up in the store. */
export const isKey = (key: string): boolean => keyForm.test(key) && checksum(key.slice(0, -6)) === key.slice(-6)

/** The first four random characters of an API key with what stands before them; `undefined` for what is no key at all. */
export const keyPrefix = (key: string): string | undefined => /^slip_[0-9A-Za-z]{4}/.exec(key)?.[0]

/** Whether a key is valid at `now`: neither revoked nor expired. It is expired from the instant `expiresAt` on. */
export const isLive = (key: Pick<ApiKey, "expiresAt" | "revokedAt">, now: DateTime.Utc): boolean =>
  key.revokedAt === undefined && (key.expiresAt === undefined || DateTime.isLessThan(now, key.expiresAt))

/** Whether to store that a key is used now: at most once a minute. */
export const isUseDue = (key: Pick<ApiKey, "lastUsedAt">, now: DateTime.Utc): boolean =>
  key.lastUsedAt === undefined ||
  DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(key.lastUsedAt, Duration.minutes(1)))

/** The scopes of `required` that `granted` lacks. */
export const missingScopes = (granted: ReadonlyArray<Scope>, required: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  required.filter((scope) => !granted.includes(scope))

/**
 * When the old key of a rotation ends: after the overlap, or earlier if it was to expire before.
 */
export const rotatedExpiry = (
  key: Pick<ApiKey, "expiresAt">,
  now: DateTime.Utc,
  overlap: Duration.Duration
): DateTime.Utc => {
  const end = DateTime.addDuration(now, overlap)
  return key.expiresAt !== undefined && DateTime.isLessThan(key.expiresAt, end) ? key.expiresAt : end
}

// The rules for the viewer's sessions.

/** How long a session lives, unless it is ended before or its key ends. */
export const sessionLife = Duration.days(7)

/** Whether a session has not expired at `now`. It is expired from the instant `expiresAt` on. */
export const isSessionLive = ({ expiresAt }: Pick<Session, "expiresAt">, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(now, expiresAt)

/** A text without control characters, cut to `length`; `undefined` when nothing is left. */
const storedText = (text: string | undefined, length: number): string | undefined => {
  const cleaned = text
    ?.replaceAll(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, length)
    .trim()
    .toWellFormed()
  return cleaned === "" ? undefined : cleaned
}

/**
 * What is stored of where somebody signed in from. The address and `User-Agent` may contain anything, so control characters
 * become spaces and long texts are cut.
 */
export const storedSource = (said: {
  readonly address?: string | undefined
  readonly userAgent?: string | undefined
}): SessionSource => {
  return withoutUndefined({ address: storedText(said.address, 64), userAgent: storedText(said.userAgent, 512) })
}

/** Whether a text fits a pattern, in which `*` stands for any characters. */
const fits = (pattern: string, value: string): boolean => {
  const [first = "", ...others] = pattern.split("*")
  const last = others.pop()
  if (last === undefined) return value === first
  if (!value.startsWith(first)) return false
  let from = first.length
  for (const part of others) {
    const at = value.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return value.length - last.length >= from && value.endsWith(last)
}

/** Why a claim fits none of the patterns. */
const outside = (
  claim: string,
  value: string | undefined,
  patterns: ReadonlyArray<string> | undefined
): string | undefined =>
  patterns === undefined || (value !== undefined && patterns.some((pattern) => fits(pattern, value)))
    ? undefined
    : `${claim} ${value === undefined ? "is absent" : `is ${value}`}; the trust has ${patterns.join(", ")}`

/** Why ids are not those that are pinned. */
const otherThan = (pinned: PinnedIds | undefined, { owner, repository }: PinnedIds): string | undefined =>
  pinned === undefined || (pinned.owner === owner && pinned.repository === repository)
    ? undefined
    : `the ids of repository and owner are ${repository} and ${owner}; the trust has ${pinned.repository} and ${pinned.owner}`

const headsPrefix = "refs/heads/"

/** Why a trust doesn't cover a run of the repository's CI; `undefined` when it does. */
export const uncovered = (
  { conditions = {}, pinned }: Pick<RepositoryTrust, "conditions" | "pinned">,
  run: WorkflowRun
): string | undefined =>
  otherThan(pinned, run.ids) ??
  (run.event === "pull_request_target" && conditions.pullRequestTarget !== true
    ? "the event is pull_request_target, which the trust doesn't allow"
    : undefined) ??
  outside(
    "the ref",
    run.ref,
    conditions.branches?.map((branch) => headsPrefix + branch)
  ) ??
  outside("the environment", run.environment, conditions.environments) ??
  outside("the workflow", run.workflow, conditions.workflows)

/** What a trust asks of a run, for people: `branch main`, `environment production`. */
export const conditionsOf = ({
  conditions = {},
  pinned
}: Pick<RepositoryTrust, "conditions" | "pinned">): ReadonlyArray<string> => {
  const { branches = [], environments = [], pullRequestTarget, workflows = [] } = conditions
  return [
    ...branches.map((branch) => `branch ${branch}`),
    ...environments.map((environment) => `environment ${environment}`),
    ...workflows.map((workflow) => `workflow ${workflow}`),
    ...(pullRequestTarget === true ? ["pull_request_target allowed"] : []),
    ...(pinned === undefined ? [] : [`repository ${pinned.repository} of owner ${pinned.owner}`])
  ]
}

// The rules for share links.

/** How long a link lives: a week by default, and at least and at most this. */
export const shareLife = {
  default: Duration.days(7),
  minimum: Duration.minutes(1),
  maximum: Duration.days(90)
}

/** The life of a link for which `asked` was requested: the nearest that `shareLife` allows. */
export const lifeOf = (asked: Duration.Duration = shareLife.default): Duration.Duration =>
  Duration.clamp(asked, shareLife)

/** Whether the link still works at `now`: it is neither revoked nor expired. */
export const isOpen = ({ expiresAt, revokedAt }: Pick<ShareLink, "expiresAt" | "revokedAt">, now: DateTime.Utc) =>
  revokedAt === undefined && DateTime.isLessThan(now, expiresAt)

/** The URL that a link's secret opens; `viewerUrl` is the viewer's base URL. */
export const shareUrl = (viewerUrl: string, secret: string): string => `${viewerUrl}/shared/${secret}`
