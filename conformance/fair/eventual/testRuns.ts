import { randomUUID } from "node:crypto"
import type { Repository } from "../parts/FairHost.ts"
import { Refusal } from "../parts/http.ts"
import { asText, type Body } from "../parts/json.ts"
import type { Document, Resource } from "./document.ts"
import type { Preview } from "./previews.ts"
import type { Versions } from "./replicas.ts"

export interface Run {
  readonly id: string
  readonly account: string
  /** Counts the runs from 1. */
  readonly number: number
  readonly body: Body
  readonly links: { readonly previewUrl: string; readonly traceUrl: string }
}

/** The filters, and the field of a registration that each compares. The status is compared as it was sent. */
const filters = ["branch", "kind", "status", "source", "pr"] as const

export const makeTestRuns = (parts: {
  readonly api: string
  readonly viewer: string
  readonly previews: Versions<Preview>
  readonly hostedUrl: (shareId: string) => string
  readonly versions: Versions<Run>
  /** The next read sees the writes up to this time. */
  readonly asOf: () => number
  readonly isLinked: (account: string, repository: Repository) => boolean
}) => {
  const { api, asOf, hostedUrl, isLinked, previews, versions, viewer } = parts
  let count = 0

  const resource = ({ body, id, links }: Run): Resource => {
    const { name, prompt, status, ...reported } = body
    const outcome = status === "passed" ? "pass" : "fail"
    return { type: "runs", id, attributes: { ...reported, label: name ?? prompt, prompt, outcome, ...links } }
  }

  return {
    register: (account: string, body: Body): Document => {
      const { kind, name, previewShareId, prompt } = body
      const [owner, repo] = [asText(body.owner), asText(body.repo)]
      const known = kind === "maestro" || kind === "detox"
      const named = asText(name) !== undefined || asText(prompt) !== undefined
      if (!known || !named || owner === undefined || repo === undefined) throw new Refusal(400, "invalid")
      if (!isLinked(account, { owner, repo })) throw new Refusal(404, "unknown_repository")
      const preview = previews.newest(String(previewShareId))
      if (preview?.account !== account) throw new Refusal(404, "unknown_preview")
      if (!preview.hosted) throw new Refusal(409, "not_hosted_yet")
      const id = randomUUID()
      const links = { previewUrl: hostedUrl(preview.shareId), traceUrl: `${viewer}/traces/${id}` }
      const run = { id, account, number: ++count, body, links }
      versions.write(id, run)
      return { data: resource(run) }
    },
    /** The next page is at `links.next`. */
    list: (account: string, query: URLSearchParams): Document => {
      const repository = { owner: query.get("org") ?? "", repo: query.get("repo") ?? "" }
      if (!isLinked(account, repository)) throw new Refusal(403, "unknown_repository")
      const limit = Math.trunc(Number(query.get("limit") ?? 20))
      const size = Number.isNaN(limit) ? 20 : Math.min(100, Math.max(1, limit))
      const below = Number(query.get("below") ?? Number.POSITIVE_INFINITY)
      const wanted = filters.filter((name) => query.has(name))
      const found = [...versions.at(asOf()).values()]
        .filter((run) => run.account === account && run.number < below)
        .filter(({ body }) => body.owner === repository.owner && body.repo === repository.repo)
        .filter(({ body }) => wanted.every((name) => String(body[name]) === query.get(name)))
        .toReversed()
      const page = found.slice(0, size)
      const next = new URLSearchParams(query)
      next.set("below", String(page.at(-1)?.number ?? 0))
      const link = found.length > size ? `${api}/api/v1/test-runs?${next}` : null
      return { data: page.map(resource), links: { next: link } }
    }
  }
}
