/**
 * Which engines tests of the hosts run on: memory in `npm test`, the others in `npm run test:matrix`, all of them with
 * `SLIPWAY_TEST_ENGINES=all`.
 */
export type EngineSet = "quick" | "slow"

export const engineSets = (): ReadonlyArray<EngineSet> => {
  const named = process.env["SLIPWAY_TEST_ENGINES"] ?? "quick"
  if (named === "all") return ["quick", "slow"]
  if (named === "quick" || named === "slow") return [named]
  throw new Error(`SLIPWAY_TEST_ENGINES must be quick, slow or all, not ${named}`)
}
