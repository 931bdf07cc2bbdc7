import { randomUUID } from "node:crypto"
import type { Repository } from "../parts/FairHost.ts"
import { Refusal } from "../parts/http.ts"
import { asText, type Body } from "../parts/json.ts"

interface Run {
  readonly account: string
  readonly of: string
  readonly kind: string
  readonly name: string
  readonly branch: string | null
  readonly passed: boolean
  readonly traceUrl: string
}

export const makeTestRuns = (
  url: string,
  previewOf: (account: string, shareId: unknown) => string | undefined,
  isLinked: (account: string, repository: Repository) => boolean
) => {
  /** Newest last. */
  const runs: Array<Run> = []

  return {
    register: (account: string, body: Body) => {
      const [kind, name, owner, repo] = [body.kind, body.name ?? body.prompt, body.owner, body.repo].map(asText)
      if ((kind !== "maestro" && kind !== "detox") || name === undefined || owner === undefined || repo === undefined) {
        throw new Refusal(400, "body")
      }
      if (!isLinked(account, { owner, repo })) throw new Refusal(403, "repository")
      const previewUrl = previewOf(account, body.previewShareId)
      if (previewUrl === undefined) throw new Refusal(400, "preview")
      const traceUrl = `${url}/t/${randomUUID()}`
      runs.push({
        account,
        of: `${owner}/${repo}`,
        kind,
        name,
        branch: asText(body.branch) ?? null,
        passed: body.status === "passed",
        traceUrl
      })
      return { previewUrl, traceUrl }
    },
    /** A bare list. Every run came over the API and from no pull request, so each of these filters keeps all runs or none. */
    list: (account: string, query: URLSearchParams) => {
      const { branch, kind, limit = "100", org = "", pr, repo = "", source = "api", status } = Object.fromEntries(query)
      if (!isLinked(account, { owner: org, repo })) throw new Refusal(403, "repository")
      const clamped = Math.min(100, Math.max(1, Math.trunc(Number(limit)) || 1))
      return runs
        .filter((run) => run.account === account && run.of === `${org}/${repo}` && source === "api" && pr === undefined)
        .filter((run) => branch === undefined || run.branch === branch)
        .filter((run) => kind === undefined || run.kind === kind)
        .filter((run) => (status !== "passed" && status !== "failed") || run.passed === (status === "passed"))
        .toReversed()
        .slice(0, clamped)
        .map(({ account: _account, of: _of, ...shown }) => shown)
    },
    trace: (traceUrl: string): Run | undefined => runs.find((run) => run.traceUrl === traceUrl)
  }
}
