import { renderBadge } from "../badge.ts"
import { renderConsole } from "../console.ts"
import { renderHtml } from "../html/page.ts"
import { renderJson } from "../json.ts"
import { renderJunit } from "../junit.ts"
import type { Report } from "../Report.ts"

/** Every form of a report, by name. */
export const everyReport = (report: Report): Readonly<Record<string, string>> => ({
  badge: renderBadge(report),
  console: renderConsole(report),
  html: renderHtml(report),
  json: renderJson(report),
  junit: renderJunit(report)
})

/** The same run as if every check of it had failed, so that every report shows as much as it ever does. */
export const allFailed = (report: Report): Report => ({
  ...report,
  checks: report.checks.map((one) => ({
    ...one,
    outcome: "failed",
    level: "MUST",
    violation: one.violation ?? { expected: "Something else", came: "This" }
  }))
})
