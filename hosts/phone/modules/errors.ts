import { fieldsIn, listIn, numberIn, textIn, type Fields } from "../runtime/decode.ts"
import type { Modules } from "./Host.ts"

const frameText = (value: unknown): string => {
  const frame = fieldsIn(value)
  const where = `${textIn(frame["file"]) ?? ""}:${numberIn(frame["lineNumber"]) ?? 0}:${numberIn(frame["column"]) ?? 0}`
  return `    at ${textIn(frame["methodName"]) ?? "?"} (${where})`
}

/** An error as React Native reports it, as one that a browser reports. */
const errorOf = (report: Fields): Error => {
  const error = new Error(textIn(report["originalMessage"]) ?? textIn(report["message"]) ?? "")
  const name = textIn(report["name"])
  if (name !== undefined) error.name = name
  const raw = textIn(fieldsIn(report["extraData"])["rawStack"])
  const message = textIn(report["message"]) ?? error.message
  error.stack = raw ?? [message, ...listIn(report["stack"]).map(frameText)].join("\n")
  return error
}

/** A fatal error of the app: a phone would end it, here the page shows it. */
export const errors: Modules = ({ notes }) => {
  const end = (report: Fields): void => {
    const error = errorOf(report)
    reportError(error)
    notes.crashed(error.stack ?? error.message)
  }
  const fatal = (message: string, stack: ReadonlyArray<unknown>): void => end({ message, stack })
  return {
    ExceptionsManager: {
      reportFatalException: fatal,
      reportSoftException: () => {},
      // What isn't fatal, and what is as well, has been written to the console before.
      reportException: (report: unknown): void => {
        const fields = fieldsIn(report)
        if (fields["isFatal"] === true) end(fields)
      },
      updateExceptionMessage: () => {},
      dismissRedbox: () => {}
    }
  }
}
