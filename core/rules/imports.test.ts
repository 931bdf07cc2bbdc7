/** Which CI runs are complete: a table of what is announced, and a random order of what jobs send. */
import { assert, describe } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { it } from "../testing/layer.ts"
import type { ImportAnnouncement } from "../model/TestHistory.ts"
import { importLifeMs, importsOf, isIncomplete, missingTexts, maxImports, withExpected, withImport } from "./imports.ts"

/** `isFirst`: of a source without an attempt. */
type Fields = Partial<ImportAnnouncement> & { readonly isFirst?: boolean | undefined }

let count = 0
const open = ({ isFirst, ...fields }: Fields = {}): ImportAnnouncement => {
  count += 1
  return { id: `import ${count}`, ...(isFirst ? {} : { attempt: "1" }), expectedRuns: 3, openedAt: 0, ...fields }
}
const closed = (fields: Fields = {}): ImportAnnouncement => open({ registeredRuns: 3, ...fields })

const job = { job: "e2e" }
const [again, later] = [{ attempt: "2" }, { attempt: "3" }]
const uuid = { attempt: "01a20ecf-36e2-721f-8a31-77b3847077d0", openedAt: 1 }

const rows: Readonly<
  Record<string, readonly [ReadonlyArray<ImportAnnouncement>, string | undefined, ...Array<string>]>
> = {
  "nothing was announced": [[], undefined],
  "closed with all runs": [[closed()], "complete"],
  "closed with more runs than announced": [[closed({ registeredRuns: 4 })], "complete"],
  "closed without a run, as announced": [[closed({ expectedRuns: 0, registeredRuns: 0 })], "complete"],
  "open without a run to come": [[open({ expectedRuns: 0 })], "incomplete", "open"],
  open: [[open()], "incomplete", "open"],
  short: [[closed({ registeredRuns: 2 })], "incomplete", "short"],
  "one of two is open": [[closed(), open()], "incomplete", "open"],
  "open for a day": [[open({ openedAt: -importLifeMs })], "interrupted", "interrupted"],
  "open for almost a day": [[open({ openedAt: 1 - importLifeMs })], "incomplete", "open"],
  "short for a day": [[closed({ registeredRuns: 2, openedAt: -importLifeMs })], "interrupted", "short"],
  "one is open for a day, another for an hour": [
    [open({ openedAt: -importLifeMs }), open({ openedAt: -3_600_000 })],
    "incomplete",
    "interrupted",
    "open"
  ],
  "complete for a day": [[closed({ openedAt: -importLifeMs })], "complete"],
  "the same import in a later attempt": [[open({ id: "a" }), closed({ id: "a", ...again })], "complete"],
  "the same import in an earlier attempt": [[open({ id: "a", ...again }), closed({ id: "a" })], "incomplete", "open"],
  "attempts are compared as numbers": [
    [closed({ id: "a", attempt: "10" }), open({ id: "a", attempt: "9" })],
    "complete"
  ],
  "an attempt by its id, later than the first": [[open({ ...job }), closed({ ...job, ...uuid })], "complete"],
  "no attempt is before the first one": [[open({ ...job, isFirst: true }), closed({ ...job, ...again })], "complete"],
  "another import of the same job in a later attempt": [[open(job), closed({ ...job, ...again })], "complete"],
  "of another job": [[open(job), closed({ job: "unit", ...again })], "incomplete", "open"],
  "of a job without a name": [[open(), closed(again)], "incomplete", "open"],
  "of the same job, and another app": [
    [open({ ...job, app: "a" }), closed({ ...job, app: "b", ...again })],
    "incomplete",
    "open"
  ],
  "of the same attempt": [[open(job), closed(job)], "incomplete", "open"],
  "two jobs of a matrix, of which one is run again": [
    [open(job), open(job), closed({ ...job, ...again })],
    "incomplete",
    "open"
  ],
  "one of several jobs of a matrix is run again, and nobody knows which": [
    [closed(job), open(job), closed({ ...job, ...again })],
    "incomplete",
    "open"
  ],
  "all jobs of a matrix are run again": [
    [closed(job), open(job), closed({ ...job, ...again }), closed({ ...job, ...again })],
    "complete"
  ],
  "an import is replaced by the same one, and not by another of its job": [
    [open({ ...job, id: "a" }), closed({ ...job, id: "b" }), closed({ ...job, id: "b", ...again })],
    "incomplete",
    "open"
  ],
  "an import is replaced by the same one, and another of its job stays": [
    [closed({ ...job, id: "a" }), open({ ...job, id: "b" }), closed({ ...job, ...again, id: "b", expectedImports: 2 })],
    "complete"
  ],
  "open again in a third attempt": [
    [open(job), closed({ ...job, ...again }), open({ ...job, ...later })],
    "incomplete",
    "open"
  ],
  "fewer than expected": [[closed({ expectedImports: 2 })], "incomplete"],
  "as many as expected": [[closed({ expectedImports: 2 }), closed()], "complete"],
  "as many as expected, of which one is open": [[closed({ expectedImports: 2 }), open()], "incomplete", "open"],
  "expected, and none for a day": [[closed({ expectedImports: 2, openedAt: -importLifeMs })], "interrupted"],
  "what is run again counts once": [
    [closed({ expectedImports: 2, ...job }), closed({ expectedImports: 2, ...job, ...again })],
    "incomplete"
  ]
}

const Sent = Schema.Struct({
  job: Schema.Literals(["a", "b", "c"]),
  attempt: Schema.Literals(["1", "2", "3"]),
  closes: Schema.Boolean
})

describe("the imports of a CI run", () => {
  for (const [name, [imports, state, ...missing]] of Object.entries(rows)) {
    it(`${name}: ${state ?? "unknown"}`, () => {
      for (const order of [imports, imports.toReversed()]) {
        const found = importsOf(order, 0)
        assert.strictEqual(found?.state, state)
        assert.sameMembers(found?.missing.map((one) => one.state) ?? [], missing)
        assert.strictEqual(missingTexts(found).length > 0, isIncomplete(found))
      }
    })
  }

  it("what a reader expects counts also where nothing was announced", () => {
    const state = (imports: ReadonlyArray<ImportAnnouncement>, expected?: number) =>
      withExpected(importsOf(imports, 0), expected)?.state
    assert.isUndefined(state([]))
    assert.strictEqual(state([], 1), "incomplete")
    assert.strictEqual(state([closed()], 1), "complete")
    assert.strictEqual(state([closed()], 2), "incomplete")
    assert.strictEqual(state([open({ openedAt: -importLifeMs })], 2), "interrupted")
  })

  it("for one app, what is missing of another doesn't count", () => {
    const state = (app: string | undefined, ...more: ReadonlyArray<ImportAnnouncement>) =>
      importsOf([open({ app: "a" }), closed({ app: "b" }), ...more], 0, app)?.state
    assert.deepStrictEqual([state(undefined), state("a"), state("b")], ["incomplete", "incomplete", "complete"])
    assert.strictEqual(state("b", open()), "incomplete")
    assert.strictEqual(state("b", closed({ app: "b", expectedImports: 3 })), "incomplete")
  })

  it("what is missing is said", () => {
    const own = [
      open({ ...job, app: "shop", expectedRuns: 13, expectedImports: 5 }),
      closed({ registeredRuns: 1, expectedRuns: 1 }),
      closed({ registeredRuns: 2, isFirst: true }),
      open({ ...job, ...again, app: "chat", expectedRuns: 1, openedAt: -importLifeMs })
    ]
    assert.sameMembers(
      [...missingTexts(importsOf(own, 0))],
      [
        "The import of e2e, shop, attempt 1 announced 13 runs and has not finished.",
        "An import registered 2 of 3 runs.",
        "The import of e2e, chat, attempt 2 announced 1 run and was interrupted.",
        "1 of 5 expected imports is complete."
      ]
    )
    assert.match(
      missingTexts(importsOf([open({ job: "w".repeat(1024) })], 0))[0] ?? "",
      /^The import of w{79}…, attempt 1 /
    )
    const many = missingTexts(
      importsOf(
        Array.from({ length: 12 }, () => open()),
        0
      )
    )
    assert.deepStrictEqual([many.length, many.at(-1)], [11, "2 more imports are not complete."])
  })

  it("an import is opened and closed, opened again, and not changed by an earlier attempt", () => {
    const send = (fields: Fields, imports: ReadonlyArray<ImportAnnouncement> = []) =>
      withImport(imports, open({ id: "a", ...fields })) ?? []
    const opened = send({ openedAt: 5 })
    const done = send({ openedAt: 9, registeredRuns: 3 }, opened)
    assert.deepInclude(done[0], { openedAt: 5, registeredRuns: 3 })
    assert.deepStrictEqual(send({ openedAt: 10, registeredRuns: 3 }, done), done)
    assert.notProperty(send({ openedAt: 11 }, done)[0], "registeredRuns")
    const second = send({ attempt: "2", openedAt: 20 }, opened)
    assert.deepStrictEqual(
      second.map(({ attempt }) => attempt),
      ["1", "2"]
    )
    for (const late of [{ registeredRuns: 3 }, {}, { isFirst: true }] as const) {
      assert.deepStrictEqual(send({ openedAt: 30, ...late }, second), second)
    }
    const other = send({ ...uuid, openedAt: 40 }, send({ attempt: "b".repeat(8), openedAt: 39 }))
    assert.deepStrictEqual(send({ attempt: "b".repeat(8), openedAt: 50, registeredRuns: 3 }, other), other)
    const full = Array.from({ length: maxImports }, () => open())
    assert.isUndefined(withImport(full, open()))
    assert.strictEqual(withImport(full, closed({ id: full[0]?.id ?? "" }))?.length, maxImports)
  })

  it.effect.prop(
    "a CI run is complete exactly when every job has closed its import in its last attempt",
    { all: Schema.Array(Sent) },
    ({ all }) =>
      Effect.sync(() => {
        const imports = all.reduce<ReadonlyArray<ImportAnnouncement>>(
          (before, { attempt, closes, job }, at) =>
            withImport(before, {
              id: job,
              job,
              attempt,
              expectedRuns: 1,
              openedAt: at,
              ...(closes ? { registeredRuns: 1 } : {})
            }) ?? [],
          []
        )
        const isClosed = (job: string): boolean => {
          const own = all.filter((one) => one.job === job)
          const last = Math.max(...own.map(({ attempt }) => Number(attempt)))
          return own.findLast(({ attempt }) => Number(attempt) === last)?.closes !== false
        }
        const isWhole = all.every(({ job }) => isClosed(job))
        const expected = all.length === 0 ? undefined : isWhole ? "complete" : "incomplete"
        assert.strictEqual(importsOf(imports, all.length)?.state, expected)
      }),
    { arbitrary: { runs: 500 } }
  )
})
