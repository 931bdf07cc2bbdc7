/** The arguments of a fault run. */
import { randomInt } from "node:crypto"
import { parseArgs } from "node:util"
import { isPlanted, planted, type Planted } from "./planted.ts"

const engineSets = ["sqlite", "postgres"] as const
export type EngineSet = (typeof engineSets)[number]

export interface Options {
  /** For how long each set of engines is disturbed. */
  readonly minutes: number
  /** All of them, unless one is named. */
  readonly engines?: EngineSet | undefined
  readonly planted?: Planted | undefined
  readonly seed: string
}

const refuse = (sentence: string): never => {
  process.stderr.write(`faults: ${sentence}\n`)
  process.exit(2)
}

/** Reads arguments; ends the process with 2 and a sentence when one doesn't fit. */
export const parseOptions = (args: ReadonlyArray<string>): Options => {
  const texts = Object.fromEntries(
    ["minutes", "engines", "planted", "seed"].map((name) => [name, { type: "string" }] as const)
  )
  const given = (() => {
    try {
      return parseArgs({ args: [...args], options: texts }).values
    } catch (error) {
      return refuse(error instanceof Error ? error.message : String(error))
    }
  })()
  const { engines, minutes = "10", planted: bug, seed = String(randomInt(2 ** 31)) } = given
  const set = engineSets.find((one) => one === engines)
  if (!(Number(minutes) > 0)) return refuse("--minutes must be a number above 0")
  if (engines !== undefined && set === undefined) return refuse(`--engines must be ${engineSets.join(" or ")}`)
  if (bug !== undefined && !isPlanted(bug)) return refuse(`--planted must be one of ${Object.keys(planted).join(", ")}`)
  return { minutes: Number(minutes), engines: set, planted: bug, seed }
}
