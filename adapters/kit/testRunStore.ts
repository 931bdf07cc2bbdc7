import { assert } from "@effect/vitest"
import { DateTime, Effect, Option, Schema } from "effect"
import { CommitSha } from "../../core/model/Build.ts"
import { ShareId } from "../../core/model/Preview.ts"
import {
  TestRunId,
  TestRunKind,
  TestRunStatus,
  type RunCursor,
  type TestRun,
  type TestRunView
} from "../../core/model/TestRun.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { TestRunStore, type RunFilter } from "../../core/ports/TestRunStore.ts"
import { compareRuns } from "../../core/rules/testRuns.ts"
import { keyOf, newHome, newPreview, newRun as newRunOf } from "./parts/stored.ts"
import { type Cases, forAll } from "./parts/suite.ts"
import { assertFound, assertKept, found, plainPreview, plainRepository, plainRun } from "./parts/plain.ts"
import type { PreviewPorts } from "./previewStore.ts"
import { epochs, fullRun, idAt, instant, makeRepository, makeRun } from "./parts/samples.ts"

/** What the cases need beside a `TestRunStore`: runs belong to linked repositories and show previews. */
export type RunPorts = PreviewPorts | TestRunStore

const longest = (end: string): string => "漢🙂a".repeat(256).slice(0, 1024 - end.length) + end

/** A new account with a linked repository and a preview. */
const newRepositoryAndPreview = Effect.gen(function* () {
  const home = yield* newHome
  return { ...home, preview: yield* newPreview(home.account) }
})

type Prepared = Effect.Success<typeof newRepositoryAndPreview>

const newRun = ({ preview, repository }: Prepared, fields: Partial<TestRun> = {}) =>
  newRunOf(repository, preview, fields)

const plainView = ({ repository: { owner, repo }, run }: TestRunView) => ({
  run: plainRun(run),
  repository: { owner, repo }
})

const listed = (
  { account, repository }: Pick<Prepared, "account" | "repository">,
  filter: RunFilter = {},
  {
    after,
    bytes = 2 ** 53,
    limit = 101
  }: { readonly after?: RunCursor | undefined; readonly bytes?: number; readonly limit?: number } = {}
) =>
  Effect.gen(function* () {
    const query = { account: account.id, repository: keyOf(repository), filter, limit, bytes }
    return yield* (yield* TestRunStore).list({ ...query, after: Option.fromUndefinedOr(after) })
  })

const listedIds = (...args: Parameters<typeof listed>) =>
  Effect.map(listed(...args), (views) => Option.getOrThrow(views).map((view) => view.run.id))

/** The rule of a list, written as plainly as possible. */
const expectedIds = (runs: ReadonlyArray<TestRun>, filter: RunFilter, after?: RunCursor, limit = 101) =>
  runs
    .filter((run) => filter.branch === undefined || run.branch === filter.branch)
    .filter((run) => filter.commitSha === undefined || run.commitSha === filter.commitSha)
    .filter((run) => filter.kind === undefined || run.kind === filter.kind)
    .filter((run) => filter.status === undefined || run.status === filter.status)
    .filter((run) => filter.source === undefined || run.source === filter.source)
    .filter((run) => filter.ciRun === undefined || run.source?.split("/")[0] === filter.ciRun)
    .filter((run) => filter.pr === undefined || run.pr === filter.pr)
    .filter((run) => filter.app === undefined || run.app === filter.app)
    .filter((run) => after === undefined || compareRuns(run, after) > 0)
    .toSorted(compareRuns)
    .slice(0, limit)
    .map((run) => run.id)

const Branch = Schema.Literals(["main", "Main", "release/1"])
const Source = Schema.Literals(["ci", "ci/2", "local"])
const CiRun = Schema.Literals(["ci", "local"])
const App = Schema.Literals(["rider", "Rider"])
const commits = [CommitSha.make("a".repeat(40)), CommitSha.make("b".repeat(40))] as const
const PullRequest = Schema.Literals([1, 2, 2 ** 31 - 1])

/** The fields that filters compare, and the registration time. Few values each, so that many runs share them. */
const Registered = Schema.Struct({
  branch: Schema.optionalKey(Branch),
  commit: Schema.optionalKey(Schema.Literals([0, 1])),
  kind: TestRunKind,
  status: TestRunStatus,
  source: Schema.optionalKey(Source),
  pr: Schema.optionalKey(PullRequest),
  app: Schema.optionalKey(App),
  at: Schema.Literals([0, 1, 2, 3])
})

const single: ReadonlyArray<RunFilter> = [
  ...Branch.literals.map((branch) => ({ branch })),
  ...commits.map((commitSha) => ({ commitSha })),
  ...TestRunKind.literals.map((kind) => ({ kind })),
  ...TestRunStatus.literals.map((status) => ({ status })),
  ...Source.literals.map((source) => ({ source })),
  ...CiRun.literals.map((ciRun) => ({ ciRun })),
  ...PullRequest.literals.map((pr) => ({ pr })),
  ...App.literals.map((app) => ({ app })),
  { branch: "mai" },
  { source: "CI" },
  { pr: 3 }
]

/** Times of registration that runs share: two that follow each other, and those long before and after the engine's clock. */
const times = [instant(0), instant(1), ...epochs]

/** Positions where no run is: before, between and behind those of the same time, and before and behind all. */
const positions: ReadonlyArray<RunCursor> = [
  ...times.flatMap((createdAt) => ["!", idAt(2), "~"].map((id) => ({ createdAt, id: TestRunId.make(id) }))),
  { createdAt: DateTime.makeUnsafe(0), id: TestRunId.make("~") },
  { createdAt: DateTime.makeUnsafe(1e15 - 1), id: TestRunId.make("x") }
]

const registered = (prepared: Prepared, all: ReadonlyArray<typeof Registered.Type>) =>
  Effect.forEach(all, ({ at, commit, ...fields }, index) =>
    newRun(prepared, {
      ...fields,
      ...(commit === undefined ? {} : { commitSha: commits[commit] }),
      createdAt: times[at] ?? instant(0),
      id: TestRunId.make(idAt((index * 7) % 5))
    })
  )

export const testRunStoreCases = (it: Cases<RunPorts>) => {
  assertKept(it, "a run", {
    owner: newRepositoryAndPreview,
    full: ({ preview, repository }, text, at) => fullRun(repository, preview, text, at),
    bare: ({ preview, repository }) => makeRun(repository, preview),
    store: (run) => TestRunStore.use((store) => store.insert({ run })),
    read: Effect.fnUntraced(function* ({ branch, id, source }, prepared) {
      const filters = branch === undefined || source === undefined ? [{}, {}] : [{ branch }, { source }]
      const lists = yield* Effect.forEach(filters, (filter) => listed(prepared, filter))
      const one = yield* (yield* TestRunStore).find(prepared.account.id, id)
      return [found(plainView, one), ...lists.map((list) => Option.getOrThrow(list).map(plainView))]
    }),
    expected: (run, { repository }) => {
      const view = plainView({ run, repository })
      return [view, [view], [view]]
    }
  })

  it.effect(
    "a message of the greatest length, a device without a field, no attempts and no tags come back as they are",
    function* () {
      const prepared = yield* newRepositoryAndPreview
      const failureMessage = "漢🙂\n\t\u{10ffff}\uffff".repeat(2048)
      const run = yield* newRun(prepared, { failureMessage, device: {}, attempts: [], tags: [] })
      assertFound(plainView, yield* (yield* TestRunStore).find(prepared.account.id, run.id), {
        run,
        repository: prepared.repository
      })
    }
  )

  it.effect("a run's start time comes back unchanged, whatever year a clock can express", function* () {
    const prepared = yield* newRepositoryAndPreview
    for (const year of ["-271821-04-20", "-000001-01-01", "0000-01-01", "0001-01-01", "+275760-09-12"]) {
      const run = yield* newRun(prepared, { startedAt: DateTime.makeUnsafe(`${year}T00:00:00.001Z`) })
      const stored = yield* (yield* TestRunStore).find(prepared.account.id, run.id)
      assertFound(plainView, stored, { run, repository: prepared.repository })
    }
  })

  it.effect("the runs of a CI run are those of all its attempts, and of no other CI run", function* () {
    const prepared = yield* newRepositoryAndPreview
    const [left, right] = [longest("甲"), longest("乙")]
    const sources = ["gh:1", "gh:1/1", "gh:1/2", "gh:1/2/3", "gh:1/", "gh:12/1", "gh:1 /1", "GH:1/1", "/1", left, right]
    const runs = new Map<string, string>()
    for (const source of sources) runs.set(source, (yield* newRun(prepared, { source })).id)
    yield* newRun(prepared)
    for (const ciRun of ["gh:1", "gh:12", "gh:1 ", "GH:1", "gh:", "", "gh:1/2", "gh:%", left, right]) {
      const expected = sources.filter((source) => source.split("/")[0] === ciRun).map((source) => runs.get(source))
      assert.sameMembers([...(yield* listedIds(prepared, { ciRun }))], expected, ciRun)
    }
  })

  it.effect("an unknown run isn't found, nor is another account's", function* () {
    const store = yield* TestRunStore
    const [prepared, other] = [yield* newRepositoryAndPreview, yield* newRepositoryAndPreview]
    const run = yield* newRun(prepared)
    assert.isTrue(Option.isNone(yield* store.find(prepared.account.id, TestRunId.make(idAt(1)))))
    assert.isTrue(Option.isNone(yield* store.find(prepared.account.id, TestRunId.make(run.id.toUpperCase()))))
    assert.isTrue(Option.isNone(yield* store.find(other.account.id, run.id)))
    assert.isTrue(Option.isNone(yield* listed({ account: other.account, repository: prepared.repository })))
  })

  it.effect("a list holds only its repository's runs, and is an empty list when there are none", function* () {
    const prepared = yield* newRepositoryAndPreview
    const repository = yield* (yield* RepositoryStore).link(makeRepository(prepared.account))
    const run = yield* newRun(prepared)
    assert.deepStrictEqual(yield* listedIds(prepared), [run.id])
    assert.deepStrictEqual(yield* listed({ ...prepared, repository }), Option.some([]))
    assert.deepStrictEqual(yield* listed(prepared, { branch: "nobody's" }), Option.some([]))
    assert.deepStrictEqual(yield* listed(prepared, {}, { after: run }), Option.some([]))
  })

  it.effect("the runs of an unlinked repository are neither listed nor found until it is linked again", function* () {
    const store = yield* TestRunStore
    const repositories = yield* RepositoryStore
    const prepared = yield* newRepositoryAndPreview
    const { account, repository } = prepared
    const run = yield* newRun(prepared)
    assert.isTrue(Option.isNone(yield* listed({ account, repository: makeRepository(account) })), "never linked")
    yield* repositories.unlink(account.id, keyOf(repository))
    assert.isTrue(Option.isNone(yield* listed(prepared)))
    assert.isTrue(Option.isNone(yield* store.find(account.id, run.id)))
    yield* repositories.link({ ...repository, owner: repository.owner.toUpperCase() })
    const expected = plainView({ run, repository: { ...repository, owner: repository.owner.toUpperCase() } })
    assert.deepStrictEqual(found(plainView, yield* store.find(account.id, run.id)), expected)
    assert.deepStrictEqual(Option.getOrThrow(yield* listed(prepared)).map(plainView), [expected])
  })

  it.effect("the account that a repository moved to sees none of its former runs", function* () {
    const repositories = yield* RepositoryStore
    const [prepared, other] = [yield* newRepositoryAndPreview, yield* newRepositoryAndPreview]
    const run = yield* newRun(prepared)
    yield* repositories.unlink(prepared.account.id, keyOf(prepared.repository))
    const { owner, repo } = prepared.repository
    const repository = yield* repositories.link(makeRepository(other.account, { owner, repo }))
    assert.deepStrictEqual(yield* listed({ account: other.account, repository }), Option.some([]))
    assert.isTrue(Option.isNone(yield* (yield* TestRunStore).find(other.account.id, run.id)))
  })

  it.effect(
    "a list ends with the first run with which their metadata is more than the bytes that are asked for",
    function* () {
      const prepared = yield* newRepositoryAndPreview
      const runs = yield* Effect.forEach([...Array(25).keys()], (nth) =>
        newRun(prepared, {
          createdAt: instant(100 - nth),
          id: TestRunId.make(idAt(nth)),
          ...(nth === 3 ? {} : { metadataBytes: 100 })
        })
      )
      const ids = runs.map(({ id }) => id)
      for (const [bytes, count] of [
        [0, 1],
        [99, 1],
        [100, 2],
        [399, 5],
        [2000, 22],
        [2400, 25]
      ] as const) {
        assert.deepStrictEqual(yield* listedIds(prepared, {}, { bytes }), ids.slice(0, count), `${bytes} bytes`)
      }
      const after = runs[19]
      assert.deepStrictEqual(yield* listedIds(prepared, { kind: "maestro" }, { bytes: 150, after }), ids.slice(20, 22))
    }
  )

  it.effect("every filter and every pair of filters selects what the rule selects, in its order", () =>
    forAll(
      Schema.Array(Registered).check(Schema.isMinLength(6), Schema.isMaxLength(24)),
      Effect.fnUntraced(function* (all) {
        const prepared = yield* newRepositoryAndPreview
        const runs = yield* registered(prepared, all)
        const pairs = single.flatMap((one, index) => single.slice(index + 1).map((other) => ({ ...one, ...other })))
        for (const filter of [{}, ...single, ...pairs]) {
          assert.deepStrictEqual(yield* listedIds(prepared, filter), expectedIds(runs, filter), JSON.stringify(filter))
        }
      }),
      { runs: 10, size: 100 }
    )
  )

  it.effect(
    "any filters from any position, where a run is or none, select what the rule selects, in its order and within the limit",
    () =>
      forAll(
        Schema.Struct({
          all: Schema.Array(Registered).check(Schema.isMinLength(6), Schema.isMaxLength(24)),
          filter: Schema.Struct({
            branch: Schema.optionalKey(Branch),
            kind: Schema.optionalKey(TestRunKind),
            status: Schema.optionalKey(TestRunStatus),
            source: Schema.optionalKey(Source),
            ciRun: Schema.optionalKey(CiRun),
            pr: Schema.optionalKey(PullRequest)
          }),
          limit: Schema.Literals([1, 2, 5, 101])
        }),
        Effect.fnUntraced(function* ({ all, filter, limit }) {
          const prepared = yield* newRepositoryAndPreview
          const runs = yield* registered(prepared, all)
          for (const after of [undefined, ...positions, ...runs]) {
            const ids = yield* listedIds(prepared, filter, { after, limit })
            assert.deepStrictEqual(ids, expectedIds(runs, filter, after, limit))
          }
        }),
        { runs: 25, size: 100 }
      )
  )

  it.effect("paging while runs are registered skips no earlier run and shows none twice", function* () {
    const prepared = yield* newRepositoryAndPreview
    // Ten runs in each millisecond, registered out of order, with random ids.
    const before = yield* Effect.forEach(
      Array.from({ length: 250 }, (_, index) => (index * 77) % 250),
      (place) => newRun(prepared, { createdAt: instant(Math.floor(place / 10)), status: "failed" }),
      { concurrency: 8 }
    )
    const met: Array<string> = []
    let after: RunCursor | undefined = undefined
    for (let page = 0; page === 0 || after !== undefined; page++) {
      assert.isBelow(page, 20, "pages of a walk that doesn't end")
      // While the first pages are read, one run is added above everything, one at the current position and one below
      // everything.
      for (const at of page < 8 ? [1000 + page, 24 - 2 * page, -1 - page] : []) {
        yield* newRun(prepared, { createdAt: instant(at), status: "failed" })
      }
      const views: ReadonlyArray<TestRunView> = Option.getOrThrow(
        yield* listed(prepared, { status: "failed" }, { after, limit: 20 })
      )
      met.push(...views.map((view) => view.run.id))
      after = views.at(-1)?.run
    }
    assert.strictEqual(new Set(met).size, met.length, "runs that were met twice")
    const lost = before.filter((run) => !met.includes(run.id))
    assert.deepStrictEqual(lost, [], "runs that were lost")
  })

  it.effect("registering loads the account's repository and the account's preview, each if there is one", function* () {
    const store = yield* TestRunStore
    const [prepared, other] = [yield* newRepositoryAndPreview, yield* newRepositoryAndPreview]
    const { account, preview, repository } = prepared
    const [nowhere, nothing] = [keyOf(makeRepository(account)), ShareId.make("nothing")]
    for (const [key, shareId, hasRepository, hasPreview] of [
      [keyOf(repository), preview.shareId, true, true],
      [keyOf(repository), nothing, true, false],
      [keyOf(repository), other.preview.shareId, true, false],
      [nowhere, preview.shareId, false, true],
      [keyOf(other.repository), preview.shareId, false, true],
      [nowhere, nothing, false, false],
      [keyOf(other.repository), other.preview.shareId, false, false]
    ] as const) {
      const prepared = yield* store.loadForRegister(account.id, key, shareId)
      assert.deepStrictEqual(
        { repository: found(plainRepository, prepared.repository), preview: found(plainPreview, prepared.preview) },
        {
          repository: hasRepository ? plainRepository(repository) : undefined,
          preview: hasPreview ? plainPreview(preview) : undefined
        }
      )
    }
    yield* (yield* RepositoryStore).unlink(account.id, keyOf(repository))
    const unlinked = yield* store.loadForRegister(account.id, keyOf(repository), preview.shareId)
    assert.isTrue(Option.isNone(unlinked.repository))
    assert.isTrue(Option.isSome(unlinked.preview))
  })
}
