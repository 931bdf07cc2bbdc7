/** The ids of the test and of the CI run that a test run belongs to, and when it started. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { DateTime } from "effect"
import { TestId } from "../model/TestHistory.ts"
import type { TestRun } from "../model/TestRun.ts"
import { sourceParts, testIdentity } from "./attempts.ts"

const shortDigest = (text: string): string => bytesToHex(sha256(utf8ToBytes(text))).slice(0, 32)

type Identified = Pick<TestRun, "repositoryId" | "kind" | "name" | "prompt" | "file" | "device" | "app">

/** Computes a value of a run once: the commit of one run asks several times. */
export const once = <Run extends object, Value>(compute: (run: Run) => Value): ((run: Run) => Value) => {
  const computed = new WeakMap<Run, Value>()
  return (run) => {
    const known = computed.get(run)
    if (known !== undefined) return known
    const value = compute(run)
    computed.set(run, value)
    return value
  }
}

/** The id of the test that a run is of. */
export const testIdOf = once((run: Identified) =>
  TestId.make(shortDigest(JSON.stringify([run.repositoryId, testIdentity(run)])))
)

/** The key of the CI run that a source names. */
export const ciRunOfSource = (source: string): string => `source-${shortDigest(sourceParts(source).ciRun).slice(0, 20)}`

/**
 * The key of the CI run that a run is of: `source-` and a digest of its source without the attempt, else `commit-` and its commit. A
 * run with neither is alone, and of no CI run that is listed.
 */
export const ciRunOf = once(({ commitSha, id, source }: Pick<TestRun, "commitSha" | "id" | "source">) =>
  source !== undefined ? ciRunOfSource(source) : commitSha !== undefined ? `commit-${commitSha}` : `run-${id}`
)

/** Whether {@link ciRunOf} made this key of a CI run, not of a run alone. */
export const isCiRun = (key: string): boolean => !key.startsWith("run-")

/**
 * When a run started, in milliseconds: as it says, though not after it was registered, because clocks differ; without a start, when
 * it was registered.
 */
export const startOf = ({ createdAt, startedAt }: Pick<TestRun, "createdAt" | "startedAt">): number => {
  const registered = DateTime.toEpochMillis(createdAt)
  return startedAt === undefined ? registered : Math.min(registered, Math.max(0, DateTime.toEpochMillis(startedAt)))
}
