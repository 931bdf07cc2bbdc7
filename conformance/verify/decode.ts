import { Effect, Schema, SchemaIssue } from "effect"
import { Report } from "../report/Report.ts"

/** It is no report. Each sentence says where it isn't one. */
export class NoReport extends Schema.TaggedError<NoReport>()("NoReport", { sentences: Schema.Array(Schema.String) }) {}

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The maximum number of reported mismatches. */
const most = 20

const decode = Schema.decodeUnknownEffect(Report)

/** What was parsed from a file as a report, or why it isn't one. Whatever the file holds, this ends. */
export const decodeReport = (said: unknown): Effect.Effect<Report, NoReport> =>
  decode(said, { errors: "all", onExcessProperty: "error" }).pipe(
    Effect.mapError(({ issue }) => {
      const { issues } = formatIssues(issue)
      const sentences = issues
        .slice(0, most)
        .map(({ message, path = [] }) => `${path.map(String).join(".")}: ${message}`)
      return new NoReport({ sentences })
    })
  )
