import { Refusal } from "../parts/http.ts"
import { asBody, asText, type Body } from "../parts/json.ts"
import type { Links } from "./links.ts"
import type { Previews } from "./previews.ts"
import { repositoryOf, word } from "./reading.ts"

interface Run {
  readonly account: string
  readonly of: string
  readonly number: number
  readonly kind: string
  readonly branch: string | undefined
  readonly result: "green" | "red"
  readonly source: unknown
  /** The digits of the pull request, whatever stands around them. */
  readonly pr: string
  readonly shown: object
}

const digits = (value: unknown): string => String(value ?? "").replaceAll(/\D/g, "")

/** The values of the status filter. Any other value is ignored. */
const results: Readonly<Record<string, "green" | "red" | undefined>> = {
  passed: "green",
  green: "green",
  failed: "red",
  red: "red"
}

export const makeTestRuns = (
  links: Links,
  previews: Previews,
  isLinked: (account: string, owner: unknown, repo: unknown) => boolean
) => {
  /** Newest first. */
  const runs: Array<Run> = []

  return {
    register: (account: string, body: Body) => {
      const { branch, ci, kind, name, owner, previewShareId, prompt, repo, status, ...rest } = body
      const title = asText(name) ?? asText(prompt)
      if (title === undefined || kind === undefined) throw new Refusal(400, "incomplete")
      const known = word(kind, ["maestro", "detox"])
      if (!isLinked(account, owner, repo) || !previews.isOf(account, previewShareId))
        throw new Refusal(404, "not_found")
      const result = status === "passed" ? "green" : "red"
      const number = runs.length + 1
      const { pr, source = "unknown" } = asBody(ci)
      const urls = {
        previewUrl: links.opening("p", previewShareId),
        traceUrl: links.opening("t", String(number))
      }
      const shown = { number, title, prompt, kind: known, branch, result, ci, reported: rest, links: urls }
      const of = repositoryOf(owner, repo)
      runs.unshift({ account, of, number, kind: known, branch: asText(branch), result, source, pr: digits(pr), shown })
      return { run: shown }
    },
    list: (account: string, query: URLSearchParams) => {
      if (!isLinked(account, query.get("org"), query.get("repo"))) throw new Refusal(404, "not_found")
      const asked = Math.trunc(Number(query.get("limit") ?? 10))
      const limit = Number.isNaN(asked) ? 10 : Math.min(100, Math.max(1, asked))
      const [branch, kind, source, pr] = ["branch", "kind", "source", "pr"].map((name) => query.get(name) ?? undefined)
      const [before, result] = [query.get("before"), results[query.get("status") ?? ""]]
      const found = runs.filter(
        (run) =>
          run.account === account &&
          run.of === repositoryOf(query.get("org"), query.get("repo")) &&
          (before === null || run.number < Number(before)) &&
          (branch === undefined || run.branch === branch) &&
          (kind === undefined || run.kind === kind.toLowerCase()) &&
          (source === undefined || run.source === source) &&
          (pr === undefined || run.pr === digits(pr)) &&
          (result === undefined || run.result === result)
      )
      const page = found.slice(0, limit)
      const more = found.length > limit ? { before: String(page.at(-1)?.number) } : {}
      return { runs: page.map(({ shown }) => shown), total: found.length, ...more }
    },
    title: (number: string): object | undefined => runs.find((run) => String(run.number) === number)?.shown
  }
}
