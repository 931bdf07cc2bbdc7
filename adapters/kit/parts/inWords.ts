import { inspect } from "node:util"

/** A failure as an error with a message. */
const asError = (failure: unknown): Error => {
  if (!(failure instanceof Error)) {
    return new Error(`A call failed with ${inspect(failure)}, or succeeded with it where it had to fail.`)
  }
  return failure.message === "" ? new Error(`A call failed with ${failure.name}.`, { cause: failure }) : failure
}

/** What a case failed with, as an error with a message, and what it logged. Test runners show nothing of other failures. */
export const inWords = (failure: unknown, logged: ReadonlyArray<string> = []): Error => {
  const error = asError(failure)
  if (logged.length === 0) return error
  const message = [error.message, "The last lines of the log:", ...logged].join("\n")
  // Runners show the difference of an assertion only if the error is the assertion's own. Other errors may belong to several cases.
  return error.name === "AssertionError"
    ? Object.assign(error, { message })
    : new Error(`${error.name}: ${message}`, { cause: error })
}
