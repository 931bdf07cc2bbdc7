import { createHash, randomInt } from "node:crypto"
import { parseArgs } from "node:util"
import { isPlanted, planted, type Planted } from "./planted.ts"

/** Random choices that a seed repeats. */
export interface Choices {
  /** A whole number from 0 on, below this one. */
  readonly below: (bound: number) => number
  readonly oneOf: <A>(all: ReadonlyArray<A>) => A
  /** One of all with each call, so that each comes once before any comes again. */
  readonly inTurn: <A>(all: ReadonlyArray<A>) => () => A
}

export const choicesOf = (seed: string): Choices => {
  let made = 0
  const below = (bound: number) => createHash("sha256").update(`${seed} ${made++}`).digest().readUIntBE(0, 6) % bound
  const takeFrom = <A>(all: Array<A>): A => {
    const [chosen] = all.splice(below(all.length), 1)
    if (chosen === undefined) throw new Error("there is nothing to choose from")
    return chosen
  }
  return {
    below,
    oneOf: (all) => takeFrom([...all]),
    inTurn: (all) => {
      let left = [...all]
      return () => {
        if (left.length === 0) left = [...all]
        return takeFrom(left)
      }
    }
  }
}

// What clients upload.

export interface Content {
  readonly path: string
  readonly bytes: Uint8Array
  readonly digest: string
}

const content = (path: string, text: string): Content => {
  const bytes = new TextEncoder().encode(text)
  return { path, bytes, digest: digestOf(bytes) }
}

export const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** New contents, the bundle first, that no other upload has. */
export const newContents = (account: string, files: number): ReadonlyArray<Content> => {
  const id = crypto.randomUUID()
  return [
    content("index.js", `/* ${account} ${id} */ console.log("bundle")\n`),
    ...Array.from({ length: files }, (_, nth) =>
      content(`assets/${nth}.js`, `/* ${account} ${id} ${nth} */ ${"x".repeat(500 * nth)}\n`)
    )
  ]
}

/** How contents are declared when they are reserved. */
export const declarationOf = ([bundle, ...files]: ReadonlyArray<Content>) => ({
  contentHash: bundle?.digest,
  bundleSizeBytes: bundle?.bytes.byteLength,
  bundleContentType: "text/javascript",
  files: files.map(({ bytes, digest, path }) => ({
    path,
    sizeBytes: bytes.byteLength,
    contentType: "text/javascript",
    contentHash: digest
  }))
})

/** The record of a fault run: how often each action happened, and each broken promise. */
export interface Record {
  readonly count: (what: string, times?: number) => void
  readonly counts: ReadonlyMap<string, number>
  /** Writes down that a promise was broken, in a sentence. */
  readonly broken: (sentence: string) => void
  readonly promisesBroken: ReadonlyArray<string>
}

/** A new record; `onBroken` is called with each broken promise immediately. */
export const newRecord = (onBroken: (sentence: string) => void): Record => {
  const counts = new Map<string, number>()
  const promisesBroken: Array<string> = []
  return {
    counts,
    promisesBroken,
    count: (what, times = 1) => void counts.set(what, (counts.get(what) ?? 0) + times),
    broken: (sentence) => {
      promisesBroken.push(sentence)
      onBroken(sentence)
    }
  }
}

// The arguments of a fault run.

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
