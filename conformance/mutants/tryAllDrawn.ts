import { Effect } from "effect"
import { randomInt } from "node:crypto"
import { bases } from "./bases/index.ts"
import { complaintsOf } from "./complaints.ts"
import { draw, isFaulty, seeing } from "./drawn/draw.ts"
import { interval } from "./drawn/interval.ts"
import type { Sight } from "./drawn/Sight.ts"
import { tryMutants } from "./tryMutants.ts"

export const newSeed = (): string => String(randomInt(2 ** 31))

/** Mutants that were drawn, and how many others were that no request of the suite meets the conditions of. */
export interface Names {
  readonly names: ReadonlyArray<string>
  readonly unmet: number
}

/** Draws with a seed until there are as many mutants that have their fault in at least one request of the suite. */
export const drawMutants = async (seed: string, count: number): Promise<Names> => {
  const sights = new Map<string, ReadonlyArray<Sight>>()
  for (const base of bases) {
    const seen: Array<Sight> = []
    await Effect.runPromise(
      complaintsOf(
        base,
        seeing((sight) => seen.push(sight)),
        {},
        { runId: seed }
      )
    )
    sights.set(base.name, seen)
  }
  const names: Array<string> = []
  let place = 0
  for (; names.length < count; place++) {
    const drawn = draw(`${seed}:${place}`)
    if (sights.get(drawn.base.name)?.some((sight) => isFaulty(drawn, sight)) === true) names.push(drawn.name)
  }
  return { names, unmet: place - count }
}

/** How the suite did against drawn mutants. */
export interface Tried {
  /** The share of those killed, of those that answered anything otherwise than their base. */
  readonly share: number
  readonly summary: string
  /** The sentences of those that answered otherwise and no check reported. */
  readonly survivors: ReadonlyArray<string>
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

/** Tries drawn mutants. A mutant that no check made answer otherwise than its base is counted apart: it isn't reached. */
export const tryAllDrawn = async (
  names: ReadonlyArray<string>,
  onTried: (line: string) => void = () => {}
): Promise<Tried> => {
  const survivors: Array<string> = []
  let [killed, unreached] = [0, 0]
  await tryMutants(names, ({ base, complaints, differed, mutant }) => {
    const line = `${mutant} ${base}: ${draw(mutant).sentence}`
    const [first] = complaints
    if (first !== undefined) killed += 1
    else if (differed === true) survivors.push(line)
    else unreached += 1
    onTried(`${first === undefined ? (differed === true ? "SURVIVED" : "unreached") : first.check} ${line}`)
  })
  const reached = killed + survivors.length
  const share = killed / reached
  const [least, most] = interval(killed, reached)
  const summary = `${killed} of ${reached} killed: ${percent(share)}, 95 % interval ${percent(least)} to ${percent(most)}; ${unreached} more not reached.`
  return { share, summary, survivors: survivors.toSorted() }
}
