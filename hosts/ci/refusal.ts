import { SlipwayError } from "../client/index.ts"
import { ExitCode } from "./command/ExitCode.ts"
import { Stopped } from "./command/Stopped.ts"

/** What mends a refusal, where a command does. */
const mend = ({ code, problem, status }: SlipwayError): string | undefined => {
  if (problem?.code === "insufficient_scope") {
    const scopes = problem.requiredScopes.map((scope) => ` --scope ${scope}`).join("")
    return `The key lacks a scope. Whoever runs the host makes one that has it:\n  slipway key create --account ACCOUNT --name ci${scopes}`
  }
  switch (code) {
    case "unauthorized":
      return (
        "The key is unknown, revoked or expired, or is cut. Check the secret SLIPWAY_KEY, or let whoever runs the host make another:\n" +
        "  slipway key create --account ACCOUNT --name ci --scope builds --scope preview_upload --scope test_runs"
      )
    case "not_found":
      return (
        "The host knows no such repository of the key's account. Check --owner and --repo, or let whoever runs the host link it:\n" +
        "  slipway repo link OWNER/REPO --account ACCOUNT"
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

/** What a refusal of the host, or its silence, is to the user; `undefined` of any other error. */
export const refusalOf = (error: unknown): Stopped | undefined => {
  if (!(error instanceof SlipwayError)) return undefined
  const request = error.requestId === undefined ? "" : ` (request ${error.requestId})`
  const mends = mend(error)
  // A body that can't be read is an input, not the host's.
  const code = error.code === "body_unfit" ? ExitCode.usage : ExitCode.host
  return new Stopped(code, `${error.message}${request}${mends === undefined ? "" : `\n${mends}`}`)
}
