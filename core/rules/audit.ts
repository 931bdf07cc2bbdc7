import { Duration } from "effect"
import type { AuditActor } from "../model/AuditEntry.ts"
import type { BuildIdentity } from "../model/Build.ts"
import type { PreviewDeclaration } from "../model/Preview.ts"

type SettingValue = string | number | Duration.Duration | undefined

const valueText = (value: SettingValue): string =>
  Duration.isDuration(value) ? Duration.format(value) : String(value ?? "default")

/** What was changed, from what and to what: `runs default to 30d, billed 62d to forever`. What isn't set is `default`. */
export const changesText = (
  before: Readonly<Record<string, SettingValue>>,
  after: Readonly<Record<string, SettingValue>>
): string =>
  Object.keys({ ...before, ...after })
    .filter((name) => valueText(before[name]) !== valueText(after[name]))
    .map((name) => `${name} ${valueText(before[name])} to ${valueText(after[name])}`)
    .join(", ")

/** Which build something was done to, as people know it. */
export const buildText = ({ app, branch, commitSha, platform }: BuildIdentity): string =>
  `${app === undefined ? "" : `${app}, `}${branch} (${platform}) at ${commitSha}`

/** The same of a preview, if its upload named a branch. */
export const previewText = ({ git: { branch, commitSha } }: PreviewDeclaration): string | undefined =>
  branch === undefined || commitSha === undefined ? branch : `${branch} at ${commitSha}`

/** Who did something, in a few words with the ids that other lists show. */
export const actorText = (actor: AuditActor): string => {
  if ("session" in actor) return `session ${actor.session} of key ${actor.key}`
  if ("key" in actor) return `key ${actor.key}`
  if ("embedder" in actor) return `${actor.embedder}, signed in by the host`
  return "token" in actor ? `CI with a token of ${actor.token}` : `administrator: ${actor.administrator}`
}
