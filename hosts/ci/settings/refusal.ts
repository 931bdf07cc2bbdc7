import { SlipwayError } from "../../client/index.ts"
import { ExitCode } from "../command/ExitCode.ts"
import { Stopped } from "../command/Stopped.ts"
import type { Provenance } from "./Provenance.ts"

const newKey =
  "  slipway key create --account ACCOUNT --name ci --scope builds --scope preview_upload --scope test_runs"

/** The command that fixes a refusal, if there is one. */
const hintFor = (
  { code, problem, status }: SlipwayError,
  { owner = "OWNER", repo = "REPO" }: Provenance
): string | undefined => {
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

/** What a refusal of the host, or its silence, is to the user; `undefined` of any other error. */
export const refusalOf = (error: unknown, asked: Provenance = {}): Stopped | undefined => {
  if (!(error instanceof SlipwayError)) return undefined
  const request = error.requestId === undefined ? "" : ` (request ${error.requestId})`
  const hint = hintFor(error, asked)
  // A body that can't be read is an input, not the host's.
  const code = error.code === "body_unfit" ? ExitCode.usage : ExitCode.host
  // Another server may answer with a whole page.
  const message = error.message.replaceAll(/\s+/g, " ").slice(0, 400)
  return new Stopped(code, `${message}${request}${hint === undefined ? "" : `\n${hint}`}`)
}
