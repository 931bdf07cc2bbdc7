import type { HttpServerResponse } from "effect/http"
import type { TestRunView } from "../../../core/model/TestRun.ts"
import { paths } from "../access/paths.ts"
import type { PageContext } from "../ui/layout.ts"
import { messagePage } from "../ui/message.ts"

/** The page of a deleted preview that still has runs: `run` is the newest, if the caller may see it. */
export const previewDeletedPage = (
  context: PageContext,
  run: TestRunView | undefined
): HttpServerResponse.HttpServerResponse =>
  messagePage(context, {
    status: 410,
    title: "This preview was deleted",
    text: "Its bundle, its files and its recordings were deleted. Its test runs are kept.",
    link: run && { to: paths.run(run.run.id), label: "See the test run" }
  })
