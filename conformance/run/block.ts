import type { Ended } from "./judge.ts"

/** How a check ended, and which it is. */
interface Named extends Ended {
  readonly id: string
}

const isFailed = ({ outcome }: Named): boolean => outcome === "failed" || outcome === "no-answer"

/**
 * Turns a failure in a step that another check tests into `blocked`, where that check failed as well: by itself, or because
 * of a step of its own that did. Every other failure stays one, so whatever is wrong, at least one check fails.
 */
export const block = <Result extends Named>(results: ReadonlyArray<Result>): ReadonlyArray<Result> => {
  /** Each failed check with the one that it comes down to. */
  const roots = new Map(results.flatMap((one) => (isFailed(one) && one.step === undefined ? [[one.id, one.id]] : [])))
  for (let before = -1; before < roots.size;) {
    before = roots.size
    for (const { id, step = "" } of results) {
      const root = roots.get(step)
      if (root !== undefined && !roots.has(id)) roots.set(id, root)
    }
  }
  return results.map((result) => {
    const root = result.step === undefined ? undefined : roots.get(result.id)
    return root === undefined ? result : { ...result, outcome: "blocked", blockedBy: root }
  })
}
