import type { InlineConfig } from "vitest/node"

/** How a run of tests is reported: on the console, and as JSON in the file that `SLIPWAY_TEST_REPORT` names. */
export const reporters = (): NonNullable<InlineConfig["reporters"]> => {
  const { SLIPWAY_TEST_REPORT: outputFile } = process.env
  return outputFile === undefined ? ["default"] : ["default", ["json", { outputFile }]]
}
