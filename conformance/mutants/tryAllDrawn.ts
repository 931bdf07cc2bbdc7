import { randomInt } from "node:crypto"
import { tryMutants } from "./tryMutants.ts"
import { draw } from "./drawn/draw.ts"
import { interval } from "./drawn/interval.ts"

export const newSeed = (): string => String(randomInt(2 ** 31))

/** The names of as many mutants of a seed. */
export const namesOf = (seed: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, place) => `${seed}:${place}`)

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
