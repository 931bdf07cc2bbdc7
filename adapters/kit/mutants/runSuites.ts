import { Schema } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Mutant } from "./Mutant.ts"

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
export const runSuites = async (
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
