import { endedSweepCases } from "./endedSweeps.ts"
import type { MetadataPorts } from "../../core/ports/registry.ts"
import { suiteOf, type Cases } from "./parts/suite.ts"
import { retentionSweepCases } from "./retentionSweeps.ts"
import { sweepExpiryCases } from "./sweepExpiry.ts"
import { sweepLeaseCases } from "./sweepLeases.ts"

export const sweepStoreCases = (it: Cases<MetadataPorts>) => {
  endedSweepCases(it)
  retentionSweepCases(it)
  sweepExpiryCases(it)
  sweepLeaseCases(it)
}

export const sweepStoreSuite = suiteOf("SweepStore", sweepStoreCases)
