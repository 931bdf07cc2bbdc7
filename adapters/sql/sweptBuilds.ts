import { Array, DateTime, Effect, Option, Schema } from "effect"
import { AccountId } from "../../core/model/Account.ts"
import { BuildId } from "../../core/model/Build.ts"
import type { ExpirySelection } from "../../core/model/Sweep.ts"
import { isBuildDue } from "../../core/rules/sweeps.ts"
import { decodeRows } from "./decodeRows.ts"
import type { Engine } from "./Engine.ts"

type BuildSelection = Extract<ExpirySelection, { readonly rule: "builds" }>

/**
 * Where a page of ready builds ended: the repository, the digest of the branch and app, the platform and the reservation of its last
 * build, and how many builds of those and that platform were read.
 */
const Cursor = Schema.fromJsonString(
  Schema.Struct({
    repository: Schema.String,
    last: Schema.optionalKey(
      Schema.Struct({ line: Schema.String, platform: Schema.String, readyBy: Schema.String, rank: Schema.Int })
    )
  })
)
const decodeCursor = Schema.decodeSync(Cursor)
const encodeCursor = Schema.encodeSync(Cursor)

/** The ready builds that go by a selection: they are read repository by repository, of each branch, platform and app the latest first. */
export const sweptBuilds = ({ columns, entities, free, sql }: Engine) => {
  const { build } = entities
  const someBuilds = decodeRows({ build, line: Schema.Struct({ digest: Schema.Uint8Array }) })
  const someRepositories = decodeRows({ repository: Schema.Struct({ id: Schema.String }) })

  const nextRepository = (account: string, after: string) =>
    sql`
      SELECT id AS "repository.id" FROM repositories WHERE account_id = ${account} AND id > ${after} ORDER BY id LIMIT 1
    `.pipe(
      Effect.flatMap(someRepositories),
      Effect.map((rows) => rows[0]?.repository.id)
    )

  /** A page of a selection: the ids of those that go, and what continues behind it. */
  const page = Effect.fnUntraced(function* (
    selection: BuildSelection,
    { after, limit }: { readonly after?: string | undefined; readonly limit: number }
  ) {
    const place = after === undefined ? undefined : decodeCursor(after)
    const repository = place?.repository ?? (yield* nextRepository(selection.account, ""))
    if (repository === undefined) return { ids: [] }
    const last = place?.last
    const behind =
      last === undefined
        ? sql.literal("true")
        : sql`(b.line_digest, b.platform, b.ready_by) < (${Buffer.from(last.line, "hex")}, ${last.platform}, ${last.readyBy})`
    const rows = yield* sql`
      SELECT ${sql.literal(columns("build", "b"))}, b.line_digest AS "line.digest"
      FROM builds b WHERE b.repository_id = ${repository} AND b.ready_by IS NOT NULL AND ${behind}
      ORDER BY b.line_digest DESC, b.platform DESC, b.ready_by DESC LIMIT ${limit}
    `.pipe(Effect.flatMap(someBuilds))

    let at = last
    const ids = rows.flatMap(({ build: { id, platform, readyAt, readyBy, ...others }, line }) => {
      const digest = Buffer.from(line.digest).toString("hex")
      const rank = at?.line === digest && at.platform === platform ? at.rank + 1 : 0
      at = { line: digest, platform, readyBy: readyBy ?? "", rank }
      return readyAt !== undefined && isBuildDue(selection, { ...others, readyAt, rank }) ? [id] : []
    })
    if (rows.length === limit && at !== undefined) return { ids, next: encodeCursor({ repository, last: at }) }
    const following = yield* nextRepository(selection.account, repository)
    return following === undefined ? { ids } : { ids, next: encodeCursor({ repository: following }) }
  })

  /** The builds of the same branch, platform and app as `t` that were reserved later. */
  const later = sql.literal(`FROM builds l WHERE l.repository_id = t.repository_id AND l.line_digest = t.line_digest
    AND l.platform = t.platform AND l.ready_by > t.ready_by`)
  /** The latest of them. As a value it is read from the end of an index, while an `EXISTS` may read a whole branch. */
  const latest = sql`(SELECT l.id ${later} ORDER BY l.ready_by DESC LIMIT 1)`

  const due = ({ account, keep, now, until }: BuildSelection, ids: Array.NonEmptyReadonlyArray<string>) =>
    sql.and([
      sql.in("t.id", ids),
      sql`t.account_id = ${account} AND t.ready_by IS NOT NULL AND t.kept_at IS NULL`,
      sql`t.reserved_until <= ${DateTime.toDateUtc(now)}`,
      sql.or([
        sql`t.ready_at <= ${Option.getOrNull(Option.map(Option.fromUndefinedOr(until), DateTime.toDateUtc))}`,
        ...(keep === undefined ? [] : [sql`(SELECT count(*) FROM (SELECT 1 ${later} LIMIT ${keep}) later) >= ${keep}`])
      ])
    ])

  /**
   * Of these builds those that still go, locked until the transaction ends; so is the latest build of their branches, which
   * therefore stays as long as that.
   */
  const lock = Effect.fnUntraced(function* (selection: BuildSelection, ids: ReadonlyArray<string>) {
    if (!Array.isReadonlyArrayNonEmpty(ids)) return []
    const id = Schema.Struct({ id: BuildId })
    const found = decodeRows({ taken: id })
    const free_ = yield* sql`SELECT t.id AS "taken.id" FROM builds t WHERE ${sql.in("t.id", ids)} ${free}`.pipe(
      Effect.flatMap(found)
    )
    const own = free_.map(({ taken }) => taken.id)
    if (!Array.isReadonlyArrayNonEmpty(own)) return []
    const stays = yield* sql`
      SELECT n.id AS "taken.id" FROM builds n
      WHERE n.id IN (SELECT ${latest} FROM builds t WHERE ${sql.in("t.id", own)}) ${free}
    `.pipe(Effect.flatMap(found))
    const held = stays.map(({ taken }) => taken.id)
    if (!Array.isReadonlyArrayNonEmpty(held)) return []
    const still = yield* sql`
      SELECT t.id AS "taken.id", t.account_id AS "taken.account" FROM builds t
      WHERE ${due(selection, own)} AND ${latest} IN ${sql.in(held)}
    `.pipe(Effect.flatMap(decodeRows({ taken: Schema.Struct({ id: BuildId, account: AccountId }) })))
    return still.map(({ taken }) => taken)
  })

  return { page, lock }
}
