import { Array as Arr, Formatter, Logger, Predicate } from "effect"
import type { LogFormat } from "./settings/settings.ts"

/**
 * A line of JSON with the fields of {@link lineOf}: annotations, and objects after the message, are fields of the line; other values
 * after the message are `details`.
 */
const formatJson = Logger.map(
  Logger.formatStructured,
  ({ annotations, cause, fiberId, level, message, spans, timestamp }) => {
    const [text, ...others] = Arr.ensure(message)
    const fields = others.filter(Predicate.isObject)
    const details = others.filter((one) => !Predicate.isObject(one))
    return Formatter.formatJson({
      timestamp,
      level,
      message: text,
      fiber: fiberId,
      ...Object.assign({}, ...fields),
      ...(details.length === 0 ? {} : { details }),
      ...spans,
      ...annotations,
      cause
    })
  }
)

/** Logs go to stderr, because stdout is for the output of commands. */
export const layerOf = (format: LogFormat) =>
  Logger.layer([Logger.withConsoleError(format === "json" ? formatJson : Logger.formatLogFmt)])

/** The log of commands. */
export const layer = layerOf("text")

/** The fields of a line that doesn't come from the logger. */
type LineFields = Readonly<Record<string, string | number | boolean | undefined>>

/** A value as logfmt has it, in quotes where it has to be. */
const shown = (value: string | number | boolean): string =>
  /^[^\s"=]+$/.test(String(value)) ? String(value) : JSON.stringify(String(value))

/** A line as the logger writes it, of the fields that are given. */
export const lineOf = (format: LogFormat, fields: LineFields): string =>
  format === "json"
    ? JSON.stringify(fields)
    : Object.entries(fields)
        .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${shown(value)}`]))
        .join(" ")
