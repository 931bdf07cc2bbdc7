/**
 * On which engines tests run: `npm test` takes the quick ones, `npm run test:slow` the others, and who sets
 * `SLIPWAY_TEST_ENGINES=all` has both.
 */
export type EngineSet = "quick" | "slow"

export const engineSets = (): ReadonlyArray<EngineSet> => {
  const named = process.env["SLIPWAY_TEST_ENGINES"] ?? "quick"
  if (named === "all") return ["quick", "slow"]
  if (named === "quick" || named === "slow") return [named]
  throw new Error(`SLIPWAY_TEST_ENGINES must be quick, slow or all, not ${named}`)
}
