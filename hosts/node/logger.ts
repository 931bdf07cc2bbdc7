import { Logger } from "effect"
import type { LogFormat } from "./settings/settings.ts"

/** Logs go to stderr, because stdout is for the output of commands. */
export const layerOf = (format: LogFormat) =>
  Logger.layer([Logger.withConsoleError(format === "json" ? Logger.formatJson : Logger.formatLogFmt)])

/** The log of commands. */
export const layer = layerOf("text")

/** The fields of a line that doesn't come from the logger. */
export type LineFields = Readonly<Record<string, string | number | boolean | undefined>>

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
