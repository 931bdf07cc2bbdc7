import { Effect } from "effect"
import { Dialect, type BuildInput, type Fields, type Row } from "../../dialect/Dialect.ts"
import { must, testedBy, type Violation } from "../../dialect/Violation.ts"
import type { Answer } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { Skipped } from "./Check.ts"
import { a } from "./accounts.ts"
import { answered2xx, mustAnswer } from "./answers.ts"
import { eventually, settled } from "./eventually.ts"

/** The query for the latest build of the branch and platform of an input. */
export const queryOf = ({ fields }: BuildInput): Fields => {
  const { branch, owner, platform, repo } = fields
  return { owner, repo, branch, platform }
}

/** The id that a build is read by. Skips the check where the suite finds no id in the row. */
export const idOf = ({ id }: Pick<Row, "id">): Effect.Effect<string, Skipped> =>
  id === undefined
    ? new Skipped({ reason: "No id of a build was found in its row: bind `answers.buildId` in the config." })
    : Effect.succeed(id)

/** Reads the latest build of a branch. */
export const readLatest = (query: Fields, as = a) => Dialect.use((dialect) => dialect.latestBuild(query, as))

/** Reads a build by its id. */
export const readById = (id: string, as = a) => Dialect.use((dialect) => dialect.build(id, as))

/** The row in an answer, if there is one. */
const rowIn = Effect.fnUntraced(function* (answer: Answer) {
  if (!answered2xx(answer)) return undefined
  const dialect = yield* Dialect
  return yield* dialect.row(answer).pipe(Effect.orElseSucceed(() => undefined))
})

/**
 * Repeats a read until there is a row for which `holds`, and answers the row. A Violation with the sentence `expected` when
 * there is none by the end of the consistency window.
 */
export const readRow = Effect.fnUntraced(function* <E, R>(
  read: Effect.Effect<Answer, E, R>,
  expected: string,
  holds: (row: Row) => boolean
) {
  const dialect = yield* Dialect
  const { answer, row } = yield* eventually(
    Effect.flatMap(read, (answer) => Effect.map(rowIn(answer), (row) => ({ answer, row }))),
    ({ row }) => row !== undefined && holds(row)
  )
  yield* mustAnswer(answer, "The read of a ready build")
  const last = row ?? (yield* dialect.row(answer))
  yield* must(holds(last), expected, `The row had ${last.url === undefined ? "no url" : `the url ${last.url}`}.`)
  return last
})

/** The row that a read of a ready build answers once every earlier write must be visible. */
export const settledRow = Effect.fnUntraced(function* <E, R>(read: Effect.Effect<Answer, E, R>) {
  const dialect = yield* Dialect
  const answer = yield* settled(read)
  yield* mustAnswer(answer, "The read of a ready build")
  const row = yield* dialect.row(answer)
  yield* mustBeWhole(row, "builds.latest.preview-url", "builds.latest.status-fields")
  yield* testedBy("builds.latest.url")(
    must(row.url !== undefined, "The row of a ready build has its url.", "It had none.")
  )
  return row
})

/** Requires the previewUrl and the status of a ready build, which the checks of these ids test. */
export const mustBeWhole = Effect.fnUntraced(function* (row: Row, previewUrlCheck: string, statusCheck: string) {
  const hasPreviewUrl = must(row.previewUrl !== undefined, "The row of a ready build has a previewUrl.", "It had none.")
  yield* testedBy(previewUrlCheck)(hasPreviewUrl)
  yield* testedBy(statusCheck)(mustBeReady(row))
})

/** Requires that a row has this url; `expected` is the sentence of the Violation. */
export const mustHaveUrl = (row: Row, url: string | undefined, expected: string): Effect.Effect<void, Violation> =>
  must(row.url === url, expected, row.url === undefined ? "It had no url." : `It had the url ${row.url}.`)

/** Requires a status, and that it says ready where `bindings.ready` of the config tells how that reads. */
export const mustBeReady = Effect.fnUntraced(function* ({ status }: Row) {
  const { ready } = (yield* Session).config.bindings
  const where = "one of them where `answers.buildStatus` of the config says"
  yield* must(status !== undefined, `The row has status fields, ${where}.`, "None was found.")
  if (ready === undefined) return
  const expected = `The status of a ready build is ${JSON.stringify(ready)}, as \`ready\` of the config says.`
  yield* must(JSON.stringify(status) === JSON.stringify(ready), expected, status)
})

/** What the interface shows of a build's state: enough to see a change. */
export interface Visible {
  /** Whether there is a build at all; a target may hide one that was never ready. */
  readonly found: boolean
  readonly url: string | undefined
  readonly hasPreviewUrl: boolean
  /** As JSON text. */
  readonly status: string | undefined
}

/** What one read shows of a build's state. */
export const visible = <E, R>(read: Effect.Effect<Answer, E, R>) =>
  read.pipe(
    Effect.flatMap(rowIn),
    Effect.map((row): Visible => {
      const { previewUrl, status, url } = row ?? {}
      return { found: url !== undefined, url, hasPreviewUrl: previewUrl !== undefined, status: JSON.stringify(status) }
    })
  )

const isSame = (one: Visible, other: Visible): boolean => JSON.stringify(one) === JSON.stringify(other)

const asSentence = ({ found, hasPreviewUrl, status = "none" }: Visible): string =>
  found ? `It was read with status ${status} and ${hasPreviewUrl ? "a" : "no"} previewUrl.` : "It was not found."

/** Requires that a read shows what it showed before, until every write must be visible; `expected` begins the Violation. */
export const mustShow = Effect.fnUntraced(function* <E, R>(
  read: Effect.Effect<Answer, E, R>,
  before: Visible,
  expected: string
) {
  const after = yield* eventually(visible(read), (now) => !isSame(now, before))
  yield* must(isSame(after, before), `${expected} ${asSentence(before)}`, asSentence(after))
})
