import { provenance } from "./account.ts"

const main = { git: provenance, source: "demo:4260/1" }
const pull = {
  git: {
    ...provenance,
    branch: "feature/shore-power-first",
    commitSha: "b0a7f001".repeat(5),
    pr: 7,
    commitMessage: "List slips with shore power first",
    author: "Jonas Lind"
  },
  source: "demo:4261/1"
}

/**
 * The test runs that the demo registers, as its tests left them in `recordings/`: one that passed, and one that passed
 * before a branch broke it. Of the one that failed the preview is the phone's own bundle, as such a test runs it.
 */
export const demoRuns = [
  { folder: "gate", kind: "maestro", name: "Counting people at the gate", app: "web", ...main },
  { folder: "feet-passed", kind: "maestro", name: "Settings › shows lengths in feet", app: "web", ...main },
  { folder: "feet-failed", kind: "maestro", name: "Settings › shows lengths in feet", app: "native", ...pull }
] as const
export type DemoRun = (typeof demoRuns)[number]

/** The CI runs that these runs are of, the last one of the main branch first. */
export const lastCiRuns = [main, pull] as const
