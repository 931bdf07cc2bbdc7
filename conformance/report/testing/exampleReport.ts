import { exampleConfig } from "../../testing/exampleConfig.ts"
import type { CheckResult, Report } from "../Report.ts"

type Exchange = CheckResult["exchanges"][number]

/** A reservation that was answered. */
export const exampleExchange: Exchange = {
  at: 12,
  request: {
    method: "POST",
    url: `${exampleConfig.url}/api/v1/builds`,
    as: { account: "a", key: "all" },
    headers: {},
    json: { owner: "north", repo: "harbour" }
  },
  answer: {
    status: 201,
    headers: { "content-type": "application/json" },
    text: '{"token":"‹redacted 1›","url":"https://service.example/builds/7"}'
  }
}

/** A result of the check that finalize answers 201, which passed by default. */
export const exampleResult = (more: Partial<CheckResult> = {}): CheckResult => ({
  id: "builds.finalize.created",
  profile: "builds",
  title: "Finalize returns 201.",
  level: "MUST",
  requirements: ["builds.finalize.answer"],
  outcome: "passed",
  durationMs: 34,
  exchanges: [exampleExchange],
  ...more
})

/** It failed, because the answer was 200. */
export const exampleFailure = exampleResult({
  outcome: "failed",
  violation: { expected: "Finalize returns 201", came: "status 200 with {}" }
})

/** A report of a run of one profile with these results. `more` replaces other members of the report. */
export const exampleReport = (checks: ReadonlyArray<CheckResult>, more: Partial<Report> = {}): Report => ({
  suite: { version: "1.2.3", digest: "5".repeat(64) },
  interface: { digest: "1".repeat(64) },
  run: {
    id: "0123456789ab",
    startedAt: "2026-11-21T12:54:48.118Z",
    durationMs: 1853,
    readOnly: false,
    planned: checks.map(({ id }) => id)
  },
  config: { ...exampleConfig, profiles: ["builds"] },
  verdicts: { builds: "conformant" },
  checks,
  choices: [],
  ledger: [],
  ...more
})
