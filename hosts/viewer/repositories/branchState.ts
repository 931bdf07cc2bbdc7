/** The state of a branch outside the pages: its badge, and the Atom feed of its breaks and fixes. */
import { DateTime, Effect, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { Reader } from "../../../core/model/ApiKey.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import type { ListedTest, TestHistory } from "../../../core/model/TestHistory.ts"
import { judged, resultStart, tellingRun } from "../../../core/rules/testResults.ts"
import { maxListed, type RepositoryHistory, TestHistories } from "../../../core/service/TestHistories.ts"
import { type Branch, branchIn, paths, Site } from "../access/site.ts"
import { forAccountOrKey } from "../session/account.ts"
import { worstOf } from "../ui/charts.ts"
import { html, type Html } from "../ui/html.ts"

/** The branch that the path names. */
const branchInPath = Effect.flatMap(HttpRouter.params, ({ id = "" }) => {
  const branch = branchIn(id)
  return branch === undefined ? Effect.fail(NotFound.default) : Effect.succeed(branch)
})

const colors = { failed: "#b3261e", incomplete: "#8a5300", quarantined: "#6750a4", passed: "#1b7f3b", none: "#5f6368" }

/** What a badge says. A failure in quarantine never reads as a pass: the badge says "passing" only if nothing failed. */
const stateOf = ({
  broken,
  ciRuns: [newest],
  quarantined
}: RepositoryHistory): readonly [keyof typeof colors, string] => {
  const isCut = broken.length + quarantined.length === maxListed
  if (broken.length > 0) return ["failed", `${broken.length}${isCut ? "+" : ""} broken`]
  if (newest === undefined) return ["none", "no runs"]
  if (worstOf({ ...newest, failed: 0 }) === "incomplete") return ["incomplete", "incomplete"]
  return quarantined.length > 0 ? ["quarantined", `${quarantined.length} quarantined`] : ["passed", "passing"]
}

const label = "tests"

const svgOf = (state: keyof typeof colors, text: string): Html => {
  // The length of each text is set, so that it fits whatever font draws it.
  const widthOf = (shown: string) => Math.round(shown.length * 6.2) + 12
  const [left, right] = [widthOf(label), widthOf(text)]
  const drawn = (shown: string, at: number, width: number) =>
    html`<text x="${at + width / 2}" y="14" textLength="${width - 12}">${shown}</text>`
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width="${left + right}"
    height="20"
    role="img"
    aria-label="${label}: ${text}"
  >
    <title>${label}: ${text}</title>
    <clipPath id="r"><rect width="${left + right}" height="20" rx="3" /></clipPath>
    <g clip-path="url(#r)">
      <rect width="${left}" height="20" fill="#3c4043" />
      <rect x="${left}" width="${right}" height="20" fill="${colors[state]}" />
    </g>
    <g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
      ${drawn(label, 0, left)} ${drawn(text, left, right)}
    </g>
  </svg>`
}

/** The badge of a branch, for a reader who may see it. Pages of any site may show it. */
export const badgeOf = Effect.fnUntraced(function* (reader: Reader, branch: Branch) {
  const [state, text] = stateOf(
    yield* (yield* TestHistories)
      .repository(reader, branch)
      .pipe(Effect.catchTag("InvalidRequest", () => NotFound.default))
  )
  return HttpServerResponse.text(String(svgOf(state, text)), {
    contentType: "image/svg+xml; charset=utf-8",
    headers: { "cross-origin-resource-policy": "cross-origin" }
  })
})

/** How many tests are read for a feed, those that ran last; of how many the results; and how many entries it has. */
const most = { listed: 1000, tests: 200, atOnce: 50, entries: 50 }

/** A change of a test on a branch. */
interface Change {
  readonly test: TestHistory
  readonly to: "broken" | "quarantined" | "fixed"
  readonly run: ReturnType<typeof tellingRun>
  readonly at: number
}

/** When a test broke and was fixed, by its last 100 results. */
const changesOf = (test: TestHistory): ReadonlyArray<Change> => {
  const results = judged(test.results)
  return results.flatMap((result, index) => {
    const before = results[index + 1]
    if (result.status === before?.status || (before === undefined && result.status === "passed")) return []
    const to = result.status === "passed" ? "fixed" : result.outcome === "quarantined" ? "quarantined" : "broken"
    return [{ test, to, run: tellingRun(result), at: resultStart(result) } as const]
  })
}

const readChanges = Effect.fnUntraced(function* (reader: Reader, branch: Required<Branch>) {
  const histories = yield* TestHistories
  const listed: Array<ListedTest> = []
  let cursor: string | undefined
  do {
    const page = yield* Effect.catchTag(
      histories.list(reader, { ...branch, limit: 100, cursor }),
      "InvalidRequest",
      () => NotFound.default
    )
    listed.push(...page.tests)
    cursor = page.nextCursor
  } while (cursor !== undefined && listed.length < most.listed)
  const failedAt = ({ summary }: ListedTest) => summary.lastFailed?.at ?? 0
  const failed = listed
    .filter(({ summary }) => summary.failed > 0)
    .toSorted((a, b) => failedAt(b) - failedAt(a))
    .slice(0, most.tests)
    .map(({ testId }) => testId)
  // Histories are large, so only some are in memory together.
  const changes = yield* Stream.fromIterable(failed).pipe(
    Stream.rechunk(most.atOnce),
    Stream.chunks,
    Stream.mapEffect((ids) => histories.findEach(reader, ids, branch.branch)),
    Stream.runFold(
      (): ReadonlyArray<Change> => [],
      (all, tests) => [...all, ...tests.flatMap(changesOf)].toSorted((a, b) => b.at - a.at).slice(0, most.entries)
    )
  )
  return changes
})

const texts = { broken: "broke", quarantined: "failed in quarantine", fixed: "was fixed" }

/** XML has no sign for these two, which a name may have. */
const inXml = (text: string): string => text.replaceAll(/[\uFFFE\uFFFF]/g, "\uFFFD")

const isoOf = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

/** The feed as RFC 4287 has it. The id of an entry is that of the change, so a reader shows each once. */
const feedOf = (
  { url }: Site["Service"],
  branch: Required<Branch>,
  changes: ReadonlyArray<Change>,
  now: DateTime.Utc
): string => {
  const self = url + paths.feed(branch)
  const entries = changes.map(({ at, run, test, to }) => {
    const page = url + paths.run(run.runId)
    const name = test.name ?? test.prompt ?? ""
    return html`<entry>
      <id>${page}#${to}</id>
      <title>${inXml(`${name} ${texts[to]} on ${branch.branch}`)}</title>
      <updated>${isoOf(at)}</updated>
      <link rel="alternate" type="text/html" href="${page}" />
      <category term="${to}" />
      <content type="text"
        >${inXml([test.file, test.app, run.commitSha, to === "fixed" ? undefined : run.message].filter((part) => part !== undefined).join("\n"))}</content
      >
    </entry>`
  })
  const title = `Breaks and fixes of ${branch.owner}/${branch.repo} on ${branch.branch}`
  return `<?xml version="1.0" encoding="utf-8"?>\n${String(
    html`<feed xmlns="http://www.w3.org/2005/Atom">
      <id>${self}</id>
      <title>${inXml(title)}</title>
      <updated>${changes[0] === undefined ? DateTime.formatIso(now) : isoOf(changes[0].at)}</updated>
      <author><name>Slipway</name></author>
      <link rel="self" type="application/atom+xml" href="${self}" />
      <link rel="alternate" type="text/html" href="${url + paths.repository(branch)}" />
      ${entries}
    </feed>`
  )}\n`
}

const badge = forAccountOrKey(["test_runs"], (caller) =>
  Effect.flatMap(branchInPath, (branch) => badgeOf(caller, branch))
)

const feed = forAccountOrKey(
  ["test_runs"],
  Effect.fnUntraced(function* (caller) {
    const named = yield* branchInPath
    const { branch = "", repository } = yield* (yield* TestHistories).repository(caller, named)
    const shown = { owner: repository.owner, repo: repository.repo, branch }
    const changes = branch === "" ? [] : yield* readChanges(caller, shown)
    return HttpServerResponse.text(feedOf(yield* Site, shown, changes, yield* DateTime.now), {
      contentType: "application/atom+xml; charset=utf-8"
    })
  })
)

export const routes = [HttpRouter.route("GET", "/badges/:id", badge), HttpRouter.route("GET", "/feeds/:id", feed)]
