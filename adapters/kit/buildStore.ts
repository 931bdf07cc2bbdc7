import { describe } from "@effect/vitest"
import { buildCommitCases } from "./buildCommits.ts"
import type { BuildPorts } from "./parts/buildPorts.ts"
import { buildReadCases } from "./buildReads.ts"
import { latestBuildCases } from "./latestBuild.ts"
import { suiteOf, type Cases } from "./parts/suite.ts"

export type { BuildPorts } from "./parts/buildPorts.ts"

export const buildStoreCases = (it: Cases<BuildPorts>) => {
  describe("reads", () => buildReadCases(it))
  describe("commits", () => buildCommitCases(it))
  describe("latest", () => latestBuildCases(it))
}

export const buildStoreSuite = suiteOf("BuildStore", buildStoreCases)
