/** Proves that the suites find faults: each adapter with one fault fails the case that names the fault. */
import { assert, beforeAll, describe, it } from "vitest"
import { keyValueMutants } from "./keyValue.ts"
import { metadataMutants, metadataMutantsOnSqlite } from "./metadata.ts"
import { engineVariable, type Mutant } from "./Mutant.ts"
import { objectMutants } from "./objects.ts"
import { runSuites, type Ended } from "./runSuites.ts"
import { snapshotMutants } from "./snapshots.ts"

type Suites = ReadonlyMap<string, ReadonlyArray<Ended>>
let suites: Suites = new Map()
let suitesOnSqlite: Suites = new Map()

beforeAll(async () => {
  suites = await runSuites({
    metadata: metadataMutants,
    snapshots: snapshotMutants,
    ObjectStore: objectMutants,
    KeyValueStore: keyValueMutants
  })
  suitesOnSqlite = await runSuites({ metadata: metadataMutantsOnSqlite }, { [engineVariable]: "SQLite" })
})

/** Tests that a suite has found this fault. */
const catches = (port: string, { caughtBy, fault, saying = "" }: Omit<Mutant<never>, "adapter">, found: () => Suites) =>
  it(`catches one that ${fault}`, () => {
    const ended = found()
      .get(`${port} on ${fault}`)
      ?.find(({ name }) => name === caughtBy)
    assert.isDefined(ended, `no case has the name: ${caughtBy}`)
    assert.isTrue(ended?.hasFailed, `the case passes: ${caughtBy}`)
    assert.include(ended?.said, saying)
  })

/** Tests that the suite of so many cases passes an adapter without a fault and finds each of these. */
const expectCaught = (port: string, atLeast: number, mutants: ReadonlyArray<Omit<Mutant<never>, "adapter">>) =>
  describe(`the suite of ${port}`, () => {
    it("passes an adapter without a fault", () => {
      const cases = suites.get(`${port} on no fault`) ?? []
      assert.isAtLeast(cases.length, atLeast)
      assert.deepStrictEqual(
        cases.filter(({ hasFailed }) => hasFailed),
        []
      )
    })

    for (const mutant of mutants) catches(port, mutant, () => suites)
  })

describe("the suite of metadata, on SQLite,", () => {
  for (const mutant of metadataMutantsOnSqlite) catches("metadata", mutant, () => suitesOnSqlite)
})

expectCaught("metadata", 300, metadataMutants)
expectCaught("snapshots", 11, snapshotMutants)
expectCaught("KeyValueStore", 12, keyValueMutants)
expectCaught("ObjectStore", 90, objectMutants)
