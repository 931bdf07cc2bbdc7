import type { Report } from "../report/Report.ts"
import type { Suite } from "./Suite.ts"
import type { Finding } from "./Verification.ts"

/** A report is by this suite, and about the interface that it knows. */
export const findInDigests = (report: Pick<Report, "suite" | "interface">, known: Suite): ReadonlyArray<Finding> => {
  const isBySuite = report.suite.digest === known.digest && report.suite.version === known.version
  const isAboutInterface = report.interface.digest === known.interfaceDigest
  const made = `The report was made by suite ${report.suite.version} (${report.suite.digest})`
  return [
    ...(isBySuite
      ? []
      : [
          {
            about: "suite",
            sentence: `${made}, and this is ${known.version} (${known.digest}): only the same can confirm it.`
          }
        ]),
    ...(isAboutInterface
      ? []
      : [
          {
            about: "interface",
            sentence: `The report is about another text of the interface (${report.interface.digest}) than this suite's (${known.interfaceDigest}).`
          }
        ])
  ]
}
