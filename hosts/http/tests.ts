import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../core/api/Api.ts"
import {
  csvOfTests,
  toAnnounceImport,
  toImportsRecord,
  toSourceRecord,
  toTestHistoryRecord,
  toTestList
} from "../../core/api/tests.ts"
import { Principal } from "../../core/model/ApiKey.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { TestHistories } from "../../core/service/TestHistories.ts"

/** The address of the next page of a table, as a `link` header has it. */
const nextLink = (query: Readonly<Record<string, string | number | boolean>>, cursor: string | undefined) => {
  if (cursor === undefined) return undefined
  const next = Object.entries({ ...query, cursor }).map(([name, value]) => [name, String(value)])
  return `<?${new URLSearchParams(next)}>; rel="next"`
}

/** The histories of tests, over the service. Not part of the interface. */
export const layer = HttpApiBuilder.group(
  Api,
  "tests",
  Effect.fnUntraced(function* (handlers) {
    const histories = yield* TestHistories
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { flaky, format, org, ...rest } = query
        const page = yield* histories.list(yield* Principal, { owner: org, flaky: flaky !== undefined, ...rest })
        const body = toTestList(page)
        return format === "csv"
          ? HttpApiSchema.withHeaders({
              body: csvOfTests(body.tests),
              headers: withoutUndefined({ link: nextLink(query, body.cursor) })
            })
          : body
      }),
      read: Effect.fnUntraced(function* ({ params, query }) {
        const { test } = yield* histories.find(yield* Principal, params.id, query.branch)
        return toTestHistoryRecord(test)
      }),
      announceImport: Effect.fnUntraced(function* ({ params: { source }, payload }) {
        return toImportsRecord(yield* histories.announceImport(yield* Principal, toAnnounceImport(source, payload)))
      }),
      readSource: Effect.fnUntraced(function* ({ params: { source }, query: { app, base, org, repo } }) {
        const found = yield* histories.failures(yield* Principal, { owner: org, repo, source, base, app })
        return toSourceRecord(source, found)
      })
    })
  })
)
