import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import {
  AnnounceImportRequest,
  csvOfTests,
  TestsGroup,
  toAnnounceImport,
  toImportsRecord,
  toSourceRecord,
  toTestHistoryRecord,
  toTestList
} from "../../core/api/tests.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { TestHistories } from "../../core/service/TestHistories.ts"
import { decoded } from "../../core/service/withInput.ts"
import { endpoints } from "./endpoints.ts"
import { jsonBody } from "./jsonBody.ts"

/** The address of the next page of a table, as a `link` header has it. */
const nextLink = (query: Readonly<Record<string, string | number | boolean>>, cursor: string | undefined) => {
  if (cursor === undefined) return undefined
  const next = Object.entries({ ...query, cursor }).map(([name, value]) => [name, String(value)])
  return `<?${new URLSearchParams(next)}>; rel="next"`
}

/** The histories of tests, over the service. Not part of the interface. */
export const layer = endpoints(
  TestsGroup,
  Effect.gen(function* () {
    const histories = yield* TestHistories
    const announcement = yield* jsonBody(AnnounceImportRequest)
    return {
      announceImport: Effect.fnUntraced(function* (request) {
        const asked = decoded(toAnnounceImport(request.params.source, yield* announcement(request)))
        return toImportsRecord(yield* histories.announceImport(request.caller, asked))
      }),
      list: Effect.fnUntraced(function* ({ caller, query }) {
        const { flaky, format, org, ...rest } = query
        const page = yield* histories.list(caller, { owner: org, flaky: flaky !== undefined, ...rest })
        const body = toTestList(page)
        if (format !== "csv") return body
        const headers = withoutUndefined({ link: nextLink(query, body.cursor) })
        return HttpServerResponse.text(csvOfTests(body.tests), { contentType: "text/csv; charset=utf-8", headers })
      }),
      read: ({ caller, params, query }) =>
        Effect.map(histories.find(caller, params.id, query.branch), ({ test }) => toTestHistoryRecord(test)),
      readSource: ({ caller, params: { source }, query: { app, base, org, repo } }) =>
        Effect.map(histories.failures(caller, { owner: org, repo, source, base, app }), (found) =>
          toSourceRecord(source, found)
        )
    }
  })
)
