import { Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { Repository } from "../parts/FairHost.ts"
import { Refusal } from "../parts/http.ts"
import { asBody, type Body } from "../parts/json.ts"
import * as check from "./checks.ts"
import type { Previews } from "./previews.ts"

const fields = Schema.Struct({
  kind: Schema.Literals(["maestro", "detox"]),
  name: Schema.optional(check.text(500)),
  prompt: Schema.optional(check.text(5000)),
  status: Schema.String,
  owner: check.text(100),
  repo: check.text(100),
  branch: check.branch,
  commitSha: check.commit,
  previewShareId: check.text(100),
  stepCount: check.wholeFrom(0),
  durationMs: check.wholeFrom(0),
  failureMessage: Schema.optional(Schema.String),
  failedStepIndex: Schema.optional(check.wholeFrom(0))
})

const query = Schema.Struct({
  org: check.text(100),
  repo: check.text(100),
  branch: Schema.optional(check.branch),
  kind: Schema.optional(fields.fields.kind),
  status: Schema.optional(Schema.Literals(["passed", "failed"])),
  source: Schema.optional(Schema.Literals(["api"])),
  pr: Schema.optional(check.matching(/^\d+$/)),
  limit: Schema.optional(check.matching(/^-?\d+$/)),
  after: Schema.optional(check.text(100))
})

export const makeTestRuns = (
  viewer: string,
  previews: Previews,
  isLinked: (account: string, repository: Repository) => boolean
) => {
  /** Newest first. */
  const runs: Array<Body> = []

  return {
    register: (account: string, body: Body) => {
      check.insist(fields, body)
      const { failedStepIndex, failureMessage, name, owner, previewShareId, prompt, repo, status, ...rest } = body
      if (name === undefined && prompt === undefined) throw new Refusal(422, "unprocessable")
      if (!isLinked(account, { owner: String(owner), repo: String(repo) })) throw new Refusal(422, "repository_unknown")
      const preview = previews.owned(account, String(previewShareId))
      if (preview === undefined) throw new Refusal(403, "preview_forbidden")
      if (preview.state !== "HOSTED") throw new Refusal(422, "preview_not_hosted")
      const passed = status === "passed"
      const runId = `run_${randomUUID()}`
      const run = {
        runId,
        account,
        owner,
        repo,
        title: name ?? prompt,
        prompt: prompt ?? null,
        status: passed ? "passed" : "failed",
        // Taken from the preview, because a registration has no fields for them.
        source: "api",
        pullRequest: asBody(preview.body.provenance).pullRequest,
        failure: passed ? null : { message: failureMessage ?? null, step: failedStepIndex ?? null },
        ...rest,
        previewUrl: previews.hostedUrl(String(previewShareId)),
        traceUrl: `${viewer}/view/traces/${runId}`
      }
      runs.unshift(run)
      return run
    },
    list: (account: string, asked: Body) => {
      const { after, branch, kind, limit = "50", org, pr, repo, status } = check.insist(query, asked)
      if (!isLinked(account, { owner: String(org), repo: String(repo) })) throw new Refusal(404, "repository_unknown")
      const size = Math.min(100, Math.max(1, Number(limit)))
      const start = after === undefined ? 0 : runs.findIndex(({ runId }) => runId === after) + 1
      const found = runs
        .slice(start)
        .filter(
          (run) =>
            run.account === account &&
            run.owner === org &&
            run.repo === repo &&
            (branch === undefined || run.branch === branch) &&
            (kind === undefined || run.kind === kind) &&
            (status === undefined || run.status === status) &&
            (pr === undefined || run.pullRequest === Number(pr))
        )
      const items = found.slice(0, size)
      return { items, next: found.length > size ? items.at(-1)?.runId : null }
    },
    read: (account: string, runId: string): Body | undefined =>
      runs.find((run) => run.runId === runId && run.account === account)
  }
}
