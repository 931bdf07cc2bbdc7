import { describe } from "@effect/vitest"
import { buildCommitCases } from "./buildCommits.ts"
import type { BuildPorts } from "./buildPorts.ts"
import { buildReadCases } from "./buildReads.ts"
import { latestBuildCases } from "./latestBuild.ts"
import { suite } from "./suite.ts"
import type { Adapter, Cases } from "./suite.ts"

export type { BuildPorts } from "./buildPorts.ts"

export const buildStoreCases = (it: Cases<BuildPorts>) => {
  describe("reads", () => buildReadCases(it))
  describe("commits", () => buildCommitCases(it))
  describe("latest", () => latestBuildCases(it))
}

/** What a `BuildStore` must do. */
export const buildStoreSuite = <S = never>(name: string, adapter: Adapter<BuildPorts, S>): void =>
  suite(`BuildStore on ${name}`, adapter, buildStoreCases)
