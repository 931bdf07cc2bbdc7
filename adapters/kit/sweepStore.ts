import { endedSweepCases } from "./endedSweeps.ts"
import type { MetadataPorts } from "../../core/ports/registry.ts"
import { suiteOf, type Cases } from "./parts/suite.ts"
import { retentionSweepCases } from "./retentionSweeps.ts"
import { sweepTakeCases } from "./sweepTakes.ts"
import { sweepTurnCases } from "./sweepTurns.ts"

export const sweepStoreCases = (it: Cases<MetadataPorts>) => {
  endedSweepCases(it)
  retentionSweepCases(it)
  sweepTakeCases(it)
  sweepTurnCases(it)
}

export const sweepStoreSuite = suiteOf("SweepStore", sweepStoreCases)
