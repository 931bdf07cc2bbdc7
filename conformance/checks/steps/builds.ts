import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { BuildInput, Fields, Row } from "../../dialect/Dialect.ts"
import type { Answer, Credential } from "../../session/Exchange.ts"
import { Skipped } from "./Check.ts"
import { must } from "../../dialect/Violation.ts"
import type { Violation } from "../../dialect/Violation.ts"
import { answered2xx, mustAnswer } from "./answers.ts"
import { a } from "./credentials.ts"
import { eventually, settled } from "./eventually.ts"

/** What reads the latest build of the branch and platform that an input is for. */
export const queryOf = ({ fields }: BuildInput): Fields => {
  const { branch, owner, platform, repo } = fields
  return { owner, repo, branch, platform }
}

/** The id that a build is read by. Where the row shows none that the suite can find, the check is skipped. */
export const idOf = ({ id }: Pick<Row, "id">): Effect.Effect<string, Skipped> =>
  id === undefined
    ? new Skipped({ reason: "No id of a build was found in its row: bind `answers.buildId` in the config." })
    : Effect.succeed(id)

/** Reads the latest build of a branch. */
export const readLatest = (query: Fields, as: Credential = a) =>
  Dialect.use((dialect) => dialect.latestBuild(query, as))

/** Reads a build by its id. */
export const readById = (id: string, as: Credential = a) => Dialect.use((dialect) => dialect.build(id, as))

/** The row in an answer, if there is one. */
const rowIn = Effect.fnUntraced(function* (answer: Answer) {
  if (!answered2xx(answer)) return undefined
  const dialect = yield* Dialect
  return yield* dialect.row(answer).pipe(Effect.orElseSucceed(() => undefined))
})

/**
 * Reads until there is a row that holds, and answers it. When there is none by the end of the consistency window, that
 * is a Violation of what was expected, a sentence.
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

/** The row that a read of a ready build answers once every write is sure to be seen. */
export const settledRow = Effect.fnUntraced(function* <E, R>(read: Effect.Effect<Answer, E, R>) {
  const dialect = yield* Dialect
  const answer = yield* settled(read)
  yield* mustAnswer(answer, "The read of a ready build")
  return yield* dialect.row(answer)
})

/** Has this url, or that is a Violation of what was expected, a sentence. */
export const mustHaveUrl = (row: Row, url: string | undefined, expected: string): Effect.Effect<void, Violation> =>
  must(row.url === url, expected, row.url === undefined ? "It had no url." : `It had the url ${row.url}.`)

/** As much of a build as the interface shows: enough to see that it changed its state. */
export interface Visible {
  /** Whether there is a build at all; a host may hide one that was never ready. */
  readonly found: boolean
  readonly url: string | undefined
  readonly hasPreviewUrl: boolean
  /** As JSON text. */
  readonly status: string | undefined
}

/** What a read shows of a build. */
export const visible = <E, R>(read: Effect.Effect<Answer, E, R>) =>
  read.pipe(
    Effect.flatMap(rowIn),
    Effect.map((row): Visible => {
      const { previewUrl, status, url } = row ?? {}
      return { found: url !== undefined, url, hasPreviewUrl: previewUrl !== undefined, status: JSON.stringify(status) }
    })
  )

const sameLooks = (one: Visible, other: Visible): boolean => JSON.stringify(one) === JSON.stringify(other)

const asSentence = ({ found, hasPreviewUrl, status = "none" }: Visible): string =>
  found ? `It was read with status ${status} and ${hasPreviewUrl ? "a" : "no"} previewUrl.` : "It was not found."

/** Looks, until every write is sure to be seen, as it did before, or that is a Violation of what was expected. */
export const mustLook = Effect.fnUntraced(function* <E, R>(
  read: Effect.Effect<Answer, E, R>,
  before: Visible,
  expected: string
) {
  const after = yield* eventually(visible(read), (now) => !sameLooks(now, before))
  yield* must(sameLooks(after, before), `${expected} ${asSentence(before)}`, asSentence(after))
})
