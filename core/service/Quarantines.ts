import { Context, DateTime, Duration, Effect, Layer, Option, Schema, Struct } from "effect"
import type { Reader } from "../model/ApiKey.ts"
import { InvalidRequest, type NotFound, type Unavailable } from "../model/Problem.ts"
import { Quarantine, QuarantineOwner, QuarantineReason, type QuarantineView } from "../model/Quarantine.ts"
import { OwnerName, RepoName, repositoryKey } from "../model/Repository.ts"
import { TestId } from "../model/TestHistory.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { QuarantineStore } from "../ports/QuarantineStore.ts"
import { RepositoryStore } from "../ports/RepositoryStore.ts"
import { TestHistoryStore } from "../ports/TestHistoryStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { pageOf, positionFrom, positionText } from "../rules/pages.ts"
import { quarantineDays } from "../rules/quarantine.ts"
import { passesInARow } from "../rules/testResults.ts"
import { testIdOf } from "../rules/testRuns.ts"
import { makeAuditing } from "./auditing.ts"
import { makeDefaultBranch } from "./commits.ts"
import { orNotFound, orNotLinked } from "./Authorization.ts"
import { inSpan } from "./telemetry.ts"

interface Named {
  readonly owner: string
  readonly repo: string
}

/** For how many days a test is quarantined. */
export const QuarantineDays = Schema.Int.check(
  Schema.isBetween(
    { minimum: 1, maximum: quarantineDays.maximum },
    { message: `must be 1 to ${quarantineDays.maximum} days` }
  )
)

/** A test to quarantine, and why. Without `until`, it is quarantined for 14 days. */
export const AddQuarantine = Schema.Struct({
  owner: OwnerName,
  repo: RepoName,
  test: Schema.Struct(Struct.pick(Quarantine.fields, ["app", "file", "kind", "name", "platform", "prompt"])),
  reason: QuarantineReason,
  fixer: Schema.optional(QuarantineOwner),
  until: Schema.optional(
    Schema.Union([Schema.Struct({ expiresAt: Schema.DateTimeUtc }), Schema.Struct({ days: QuarantineDays })])
  )
})
export type AddQuarantine = typeof AddQuarantine.Type

/** A quarantine, and how often its test passed in a row on the default branch since it was quarantined. */
export interface ListedQuarantine {
  readonly quarantine: Quarantine
  readonly passesInARow: number
}

/** A page of quarantines, the newest first. `nextCursor` continues after it; without it, this is the last page. */
export interface QuarantinePage {
  readonly quarantines: ReadonlyArray<ListedQuarantine>
  readonly nextCursor?: string
}

/** How many quarantines a repository has at most, those that ended lately included. */
const maxQuarantines = 1000

const invalid = (path: string, message: string) =>
  new InvalidRequest({ detail: "The request does not fit; see issues.", issues: [{ path, message }] })

/** Quarantines of tests. A reader sees and changes only those of its own account. @see docs/quarantine.md */
export class Quarantines extends Context.Service<
  Quarantines,
  {
    /**
     * Quarantines a test, in place of an earlier quarantine of it. The test need not have run. `NotFound` if the repository is not linked
     * to the account, `InvalidRequest` if the end is not in the next 90 days, or the repository has `maxQuarantines`.
     */
    readonly add: (
      reader: Reader,
      added: AddQuarantine
    ) => Effect.Effect<ListedQuarantine, NotFound | InvalidRequest | WriteFailure>
    /** Ends the quarantine of a test. `NotFound` if there is none. */
    readonly remove: (reader: Reader, id: TestId) => Effect.Effect<void, NotFound | InvalidRequest | WriteFailure>
    /** The quarantine of a test, in force or ended lately; `none` if there is none. */
    readonly find: (
      reader: Reader,
      id: TestId
    ) => Effect.Effect<Option.Option<ListedQuarantine & QuarantineView>, NotFound | InvalidRequest | Unavailable>
    /**
     * A page of the quarantines of a repository, in force or ended lately. `NotFound` if it is not linked to the account,
     * `InvalidRequest` for a cursor that is not from a page.
     */
    readonly list: (
      reader: Reader,
      query: Named & { readonly limit?: number | undefined; readonly cursor?: string | undefined }
    ) => Effect.Effect<QuarantinePage, NotFound | InvalidRequest | Unavailable>
  }
>()("slipway/core/service/Quarantines") {
  static readonly layer = Layer.effect(
    Quarantines,
    Effect.gen(function* () {
      const store = yield* QuarantineStore
      const linked = yield* RepositoryStore
      const histories = yield* TestHistoryStore
      const defaultBranch = yield* makeDefaultBranch
      const auditing = yield* makeAuditing

      /** The same with the passes of their tests on the default branch. */
      const withPasses = Effect.fnUntraced(function* (
        { account }: Reader,
        { owner, repo }: Named,
        quarantines: ReadonlyArray<Quarantine>
      ) {
        if (quarantines.length === 0) return []
        const { branch } = yield* defaultBranch(account.id, repositoryKey(owner, repo))
        const ids = quarantines.map(({ testId }) => testId)
        const testHistories = branch === undefined ? [] : yield* histories.findEach(account.id, ids, branch)
        const results = new Map(testHistories.map((history) => [history.testId, history.results]))
        return quarantines.map((quarantine) => ({
          quarantine,
          passesInARow: passesInARow(results.get(quarantine.testId) ?? [], DateTime.toEpochMillis(quarantine.createdAt))
        }))
      })

      const endOf = Effect.fnUntraced(function* (now: DateTime.Utc, until: AddQuarantine["until"]) {
        const { default: days, maximum } = quarantineDays
        if (until === undefined || "days" in until) {
          return DateTime.addDuration(now, Duration.days(until?.days ?? days))
        }
        const last = DateTime.addDuration(now, Duration.days(maximum))
        const fits = DateTime.isGreaterThan(until.expiresAt, now) && DateTime.isLessThanOrEqualTo(until.expiresAt, last)
        if (!fits) return yield* invalid("expiresAt", `must be in the future, and at most ${maximum} days from now`)
        return until.expiresAt
      })

      const add = Effect.fnUntraced(function* (
        reader: Reader,
        { fixer, owner, reason, repo, test, until }: AddQuarantine
      ) {
        const { account } = reader
        const key = repositoryKey(owner, repo)
        const repository = yield* Effect.flatMap(linked.find(account.id, key), (found) =>
          orNotLinked(found, { owner, repo })
        )
        const now = yield* DateTime.now
        const expiresAt = yield* endOf(now, until)
        const { platform, ...named } = test
        const testId = testIdOf({
          ...named,
          repositoryId: repository.id,
          ...(platform === undefined ? {} : { device: { platform } })
        })
        const others = yield* store.list({ account: account.id, repository: key, limit: maxQuarantines })
        const listed = Option.getOrElse(others, () => [])
        if (listed.length >= maxQuarantines && listed.every((one) => one.testId !== testId)) {
          return yield* invalid("name", `must be one of the ${maxQuarantines} tests that a repository may quarantine`)
        }
        const quarantine: Quarantine = {
          testId,
          accountId: account.id,
          repositoryId: repository.id,
          ...test,
          reason,
          ...withoutUndefined({ owner: fixer }),
          createdAt: now,
          expiresAt
        }
        yield* auditing(
          {
            action: "quarantine.added",
            accountId: account.id,
            at: now,
            subject: `test:${testId}`,
            detail: `${test.name ?? test.prompt}: ${reason}`
          },
          store.put(quarantine)
        )
        return { quarantine, passesInARow: 0 }
      }, inSpan("Quarantines.add"))

      const list = Effect.fnUntraced(function* (
        reader: Reader,
        { cursor, limit, owner, repo }: Parameters<Quarantines["Service"]["list"]>[1]
      ) {
        const size = Math.min(100, Math.max(1, limit ?? 50))
        const after = cursor === undefined ? undefined : Option.getOrUndefined(positionFrom(cursor))
        if (cursor !== undefined && after === undefined) {
          return yield* invalid("cursor", "must be the cursor of an earlier page")
        }
        const rows = yield* store.list({
          account: reader.account.id,
          repository: repositoryKey(owner, repo),
          after: after && { createdAt: after.at, testId: TestId.make(after.id) },
          limit: size + 1
        })
        const { last, page } = pageOf(yield* orNotLinked(rows, { owner, repo }), size)
        return {
          quarantines: yield* withPasses(reader, { owner, repo }, page),
          ...(last && { nextCursor: positionText({ at: last.createdAt, id: last.testId }) })
        }
      }, inSpan("Quarantines.list"))

      return Quarantines.of({
        add,
        remove: Effect.fnUntraced(function* ({ account }, id) {
          const removed = yield* auditing(
            { action: "quarantine.removed", accountId: account.id, at: yield* DateTime.now, subject: `test:${id}` },
            store.remove(account.id, id),
            Option.isSome
          )
          yield* orNotFound(removed)
        }, inSpan("Quarantines.remove")),
        find: Effect.fnUntraced(function* (reader, id) {
          const stored = Option.getOrUndefined(yield* store.find(reader.account.id, id))
          if (stored === undefined) return Option.none()
          const [one] = yield* withPasses(reader, stored.repository, [stored.quarantine])
          return Option.some({ ...stored, passesInARow: one?.passesInARow ?? 0 })
        }, inSpan("Quarantines.find")),
        list
      })
    })
  )
}
