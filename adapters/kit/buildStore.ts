import { buildCommitCases } from "./buildCommits.ts"
import type { BuildPorts } from "./parts/buildPorts.ts"
import { buildReadCases } from "./buildReads.ts"
import { latestBuildCases } from "./latestBuild.ts"
import { suiteOf, type Cases } from "./parts/suite.ts"

export type { BuildPorts } from "./parts/buildPorts.ts"

export const buildStoreCases = (it: Cases<BuildPorts>) => {
  it.section("reads", () => buildReadCases(it))
  it.section("commits", () => buildCommitCases(it))
  it.section("latest", () => latestBuildCases(it))
}

export const buildStoreSuite = suiteOf("BuildStore", buildStoreCases)
