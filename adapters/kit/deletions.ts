import type { UsageStore } from "../../core/ports/UsageStore.ts"
import { buildDeletionCases } from "./buildDeletions.ts"
import type { DeletionPorts } from "./parts/deletionPorts.ts"
import { suiteOf, type Cases } from "./parts/suite.ts"
import { previewDeletionCases } from "./previewDeletions.ts"
import { runDeletionCases } from "./runDeletions.ts"
import { sharedContentCases } from "./sharedContent.ts"

export type { DeletionPorts } from "./parts/deletionPorts.ts"

export const deletionCases = (it: Cases<DeletionPorts | UsageStore>) => {
  buildDeletionCases(it)
  previewDeletionCases(it)
  runDeletionCases(it)
  sharedContentCases(it)
}

export const deletionSuite = suiteOf("Deletion", deletionCases)
