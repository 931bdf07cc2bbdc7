import { describe, layer } from "@effect/vitest"
import type { Vitest } from "@effect/vitest"
import type { Layer } from "effect"
import { buildCommitCases } from "./buildCommits.ts"
import type { BuildPorts } from "./buildPorts.ts"
import { buildReadCases } from "./buildReads.ts"
import { latestBuildCases } from "./latestBuild.ts"

export type { BuildPorts } from "./buildPorts.ts"

export const buildStoreCases = (it: Vitest.MethodsNonLive<BuildPorts>) => {
  describe("reads", () => buildReadCases(it))
  describe("commits", () => buildCommitCases(it))
  describe("latest", () => latestBuildCases(it))
}

/** What a `BuildStore` must do. */
export const buildStoreSuite = <E>(name: string, adapter: Layer.Layer<BuildPorts, E>) =>
  layer(adapter)(`BuildStore on ${name}`, buildStoreCases)
