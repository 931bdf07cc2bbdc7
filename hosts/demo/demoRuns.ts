import { provenance } from "./account.ts"

/**
 * The test runs that the demo registers, as its tests left them in `recordings/`: one that passed, and one that passed
 * before a branch broke it. Of the one that failed the preview is the phone's own bundle, as such a test runs it.
 */
export const demoRuns = [
  { folder: "gate", kind: "maestro", name: "Counting people at the gate", app: "web", git: provenance },
  { folder: "feet-passed", kind: "detox", name: "Settings › shows lengths in feet", app: "web", git: provenance },
  {
    folder: "feet-failed",
    kind: "detox",
    name: "Settings › shows lengths in feet",
    app: "native",
    git: { ...provenance, branch: "feature/shore-power-first", commitSha: "b0a7f001".repeat(5), pr: 7 }
  }
] as const
export type DemoRun = (typeof demoRuns)[number]
