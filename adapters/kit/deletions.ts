import { buildDeletionCases } from "./buildDeletions.ts"
import type { DeletionPorts } from "./parts/deletionPorts.ts"
import { suiteOf, type Cases } from "./parts/suite.ts"
import { previewDeletionCases } from "./previewDeletions.ts"
import { runDeletionCases } from "./runDeletions.ts"

export type { DeletionPorts } from "./parts/deletionPorts.ts"

export const deletionCases = (it: Cases<DeletionPorts>) => {
  buildDeletionCases(it)
  previewDeletionCases(it)
  runDeletionCases(it)
}

export const deletionSuite = suiteOf("Deletion", deletionCases)
