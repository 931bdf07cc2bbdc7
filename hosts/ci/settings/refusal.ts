import { SlipwayError } from "../../client/index.ts"
import { ExitCode } from "../command/ExitCode.ts"
import { Stopped } from "../command/Stopped.ts"
import { newKey } from "./newKey.ts"
import type { Settings } from "./settings.ts"

/** The settings that a refusal depends on. */
type Asked = Pick<Settings, "identity" | "key" | "owner" | "repo">

/** The command by which a host trusts the CI of the repository. */
export const trustCommand = ({ identity, owner = "OWNER", repo = "NAME" }: Asked): string =>
  `  slipway repo trust ${owner}/${repo} ${identity?.trust ?? ""}`

/** The command that fixes a refusal, if there is one. */
const hintFor = ({ code, problem, status }: SlipwayError, asked: Asked): string | undefined => {
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
    return `The key in SLIPWAY_KEY lacks ${problem.requiredScopes.join(" and ")}. Ask the operator of the host to create a key with the scopes:\n${newKey}`
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
      return "Is SLIPWAY_URL the host's address, and can this machine reach it?"
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
export const refusalOf = (error: unknown, asked: Asked = {}): Stopped | undefined => {
  if (!(error instanceof SlipwayError)) return undefined
  const request = error.requestId === undefined ? "" : ` (request ${error.requestId})`
  const hint = hintFor(error, asked)
  // A body that can't be read is an input, not the host's.
  const code = error.code === "body_unfit" ? ExitCode.usage : ExitCode.host
  // Another server may answer with a whole page.
  const message = error.message.replaceAll(/\s+/g, " ").slice(0, 400)
  return new Stopped(code, `${message}${request}${hint === undefined ? "" : `\n${hint}`}`)
}
