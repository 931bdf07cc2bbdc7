import { Schema } from "effect"
import { commandName } from "../config/commandName.ts"
import { Report } from "./Report.ts"
import { visible } from "./visible.ts"

/** The JSON Schema (2020-12) of a report. */
export const reportJsonSchema = (): Readonly<Record<string, unknown>> => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(Report, { onExcessProperty: "error" })
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `Report of ${commandName}`,
    ...schema,
    $defs: definitions
  }
}

const encode = Schema.encodeSync(Report)

/** A report as a file of JSON: what `slipway conformance verify` and `diff` read. It is also safe to show on a terminal. */
export const renderJson = (report: Report): string => `${visible(JSON.stringify(encode(report), undefined, 2))}\n`
