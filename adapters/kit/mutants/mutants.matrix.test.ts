/** Proves that the suites find faults: each adapter with one fault fails the case that names the fault. */
import { Schema } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { keyValueMutants } from "./keyValue.ts"
import { engineVariable, metadataMutants, metadataMutantsOnSqlite, type Mutant, snapshotMutants } from "./metadata.ts"
import { objectMutants } from "./objects.ts"

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

/** The mutants of each port, by the name of its suite. */
type Mutants = Readonly<Record<string, ReadonlyArray<Pick<Mutant<never>, "caughtBy" | "fault">>>>

/** How a case of a suite that was run ended: its sections and name, and the message when it failed. */
export interface Ended {
  readonly name: string
  readonly hasFailed: boolean
  readonly said: string
}

const Report = Schema.fromJsonString(
  Schema.Struct({
    testResults: Schema.Array(
      Schema.Struct({
        assertionResults: Schema.Array(
          Schema.Struct({
            ancestorTitles: Schema.NonEmptyArray(Schema.String),
            title: Schema.String,
            status: Schema.String,
            failureMessages: Schema.Array(Schema.NullOr(Schema.String))
          })
        )
      })
    )
  })
)

const vitest = join(import.meta.dirname, "../../../node_modules/vitest/vitest.mjs")

/** The environment without the variables that a running vitest sets for its own processes. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")))

/** The cases to run: of an adapter without a fault all, of a mutant the one that it names. */
const patternOf = (mutants: Mutants): string =>
  Object.entries(mutants)
    .flatMap(([port, all]) => [
      RegExp.escape(`${port} on no fault > `),
      ...all.map(({ caughtBy, fault }) => `${RegExp.escape(`${port} on ${fault} > ${caughtBy}`)}$`)
    ])
    .map((start) => `^${start}`)
    .join("|")

/**
 * Runs the suites on the mutants of each port in another vitest process with these variables in its environment. Answers the cases
 * of each suite by its name.
 */
const runSuites = async (
  mutants: Mutants,
  variables: Readonly<Record<string, string>> = {}
): Promise<ReadonlyMap<string, ReadonlyArray<Ended>>> => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-mutants-"))
  try {
    const outputFile = join(folder, "report.json")
    const config = join(import.meta.dirname, "vitest.config.ts")
    const args = [vitest, "run", "--config", config, "--reporter=json", `--outputFile=${outputFile}`]
    args.push("--testNamePattern", patternOf(mutants))
    const child = spawn(process.execPath, args, { env: { ...env, ...variables }, stdio: "ignore" })
    const kill = () => void child.kill()
    process.once("exit", kill)
    await once(child, "close")
    process.off("exit", kill)
    const suites = new Map<string, Array<Ended>>()
    for (const { assertionResults } of Schema.decodeSync(Report)(readFileSync(outputFile, "utf8")).testResults) {
      for (const { ancestorTitles, failureMessages, status, title } of assertionResults) {
        if (status !== "passed" && status !== "failed") continue
        const [suite, ...sections] = ancestorTitles
        const ended = {
          name: [...sections, title].join(" > "),
          hasFailed: status === "failed",
          said: failureMessages.join("\n")
        }
        suites.set(suite, [...(suites.get(suite) ?? []), ended])
      }
    }
    return suites
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
