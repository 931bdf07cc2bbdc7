import { DateTime, Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { resultColumns, toTestHistoryRecord } from "../../../core/api/tests.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import { TestId } from "../../../core/model/TestHistory.ts"
import { Name } from "../../../core/model/Text.ts"
import { TestHistories } from "../../../core/service/TestHistories.ts"
import { forAccount, idInPath } from "../session/account.ts"
import { formatIn, tableFile } from "../ui/tableFile.ts"
import { testPage } from "./testPage.ts"

const isName = Schema.is(Name)

const show = forAccount(
  ["test_runs"],
  Effect.fnUntraced(function* (caller, context) {
    const histories = yield* TestHistories
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const id = TestId.make(yield* idInPath)
    const branch = new URL(url, "http://viewer").searchParams.get("branch")
    const facts = yield* Effect.all(
      {
        view:
          branch === null
            ? histories.findOnDefault(caller, id)
            : histories.find(caller, id, isName(branch) ? branch : undefined),
        branches: histories.branchesOf(caller, id),
        now: DateTime.now
      },
      { concurrency: "unbounded" }
    )
    const { repository, test } = facts.view
    const { owner = repository.owner, repo = repository.repo } = yield* HttpRouter.params
    if (`${owner}/${repo}`.toLowerCase() !== `${repository.owner}/${repository.repo}`.toLowerCase()) {
      return yield* NotFound.answer
    }
    const format = formatIn(url)
    if (format !== undefined) {
      return tableFile(format, "results", resultColumns, toTestHistoryRecord(test).results)
    }
    const isNewlyBroken = test.lastStatus === "failed" && test.branch !== undefined && !test.summary.lastPassed
    const passedOnDefault = isNewlyBroken ? yield* histories.lastPassOnDefault(caller, facts.view) : undefined
    return testPage(context, { ...facts, ...facts.view, passedOnDefault })
  })
)

/** The history of a test, also below the name of its repository. */
export const routes = [
  HttpRouter.route("GET", "/tests/:id", show),
  HttpRouter.route("GET", "/repositories/:owner/:repo/tests/:id", show)
]
