import { inspect } from "node:util"

/** What a case failed with, as an error with a message. Test runners show nothing of other failures. */
export const inWords = (failure: unknown): Error => {
  if (!(failure instanceof Error)) {
    return new Error(`A call failed with ${inspect(failure)}, or succeeded with it where it had to fail.`)
  }
  return failure.message === "" ? new Error(`A call failed with ${failure.name}.`, { cause: failure }) : failure
}
