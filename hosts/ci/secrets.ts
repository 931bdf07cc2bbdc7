import type { Context } from "./command/Context.ts"

/** Keys of Slipway and tokens of GitHub and GitLab, and the signed part of presigned URLs, as they look in any text. */
const looksSecret =
  /\bslip_[0-9A-Za-z]{8,}|\bgh[a-z]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{20,}|(?<=\bhttps?:\/\/[^\s?]*\?)[^\s]*sig(?:nature)?=[^\s]*/gi

/** The variables whose values are secrets wherever they are set. */
const secretNames = [
  "SLIPWAY_KEY",
  "SLIPWAY_ID_TOKEN",
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "GITLAB_TOKEN",
  "BITBUCKET_TOKEN",
  "SYSTEM_ACCESSTOKEN",
  "GITEA_TOKEN",
  "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
  "CIRCLE_OIDC_TOKEN",
  "CIRCLE_OIDC_TOKEN_V2",
  "SLACK_WEBHOOK_URL",
  "TEAMS_WEBHOOK_URL"
]

/** The same context, whose lines show no secret: whatever a library or the host puts into a message. */
export const hidingSecrets = (context: Context): Context => {
  const values = secretNames.flatMap((name) => context.env[name] ?? []).filter((value) => value.length > 3)
  const hide = (line: string) =>
    values.reduce((text, value) => text.replaceAll(value, "•••"), line).replaceAll(looksSecret, "•••")
  return { ...context, out: (line) => context.out(hide(line)), err: (line) => context.err(hide(line)) }
}
